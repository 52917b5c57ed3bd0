import { workflow } from "cairnjs";

export default workflow("samples.operators", async (input: { a: number; b?: { c?(x: number): number } | null }) => {
  let { a } = input;
  const before = a + (a = 5) + a++;
  const range = 0 < a && a < 10;
  const isMissing = input.b == null || input.b.c === undefined;
  const called = input.b?.c?.(-1) ?? (void 0, 7n ** 2n);
  const asserted = (input.b as { c: number[] } | null)?.c![0];
  input.a ||= 1;
  input["b"] ??= null;
  a **= 2;
  delete input.b;
  const text = `${a}: ${before}${range ? "" : "!"}`;
  return [text, isMissing && !range, called, asserted, typeof a, -0, 1.5, 2 ** 31, [1, , ...[2]], "x" in input];
});
