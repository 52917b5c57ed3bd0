import { workflow } from "cairnjs";

export default workflow("sample", async (input: any) => {
  const { groupBy, keys } = Object;
  Error.captureStackTrace(input);
  return [
    Math.foo(1),
    Math["sumPrecise"],
    Object.groupBy([], () => 1),
    Array.fromAsync([]),
    Promise.withResolvers(),
    crypto.subtle,
    Array.prototype.nope,
    groupBy,
    keys,
    Math.max(1, 2).toFixed,
  ];
});
