import { expect, it } from "vitest";
import { KeptSteps } from "../../src/http/kept-steps.ts";
import type { EncodedStepView } from "../../src/library/run-steps.ts";

it("keeps the steps of runs that have ended, as long as they have, and as there is room", async () => {
  const kept = new KeptSteps();
  let reads = 0;
  const read = (length: number) => async () => {
    reads += 1;
    return [{ args: "x".repeat(length), value: null, attempts: [] }] as unknown as EncodedStepView[];
  };
  const readsOf = async (id: string, endedAt: number | null, length = 1): Promise<number> => {
    const before = reads;
    const status = endedAt === null ? "pending" : "succeeded";
    const [step] = await kept.of({ id, status, endedAt }, read(length));
    expect(step!.args).toHaveLength(length);
    return reads - before;
  };
  expect([await readsOf("lives", null), await readsOf("lives", null)]).toEqual([1, 1]);
  expect([await readsOf("over", 1), await readsOf("over", 1), await readsOf("over", 2)]).toEqual([1, 0, 1]);
  const large = 7 * 1024 * 1024;
  for (const id of ["a", "b", "a", "c"]) await readsOf(id, 1, large);
  // The one that was not asked for the longest time had to go.
  expect([await readsOf("a", 1, large), await readsOf("c", 1, large), await readsOf("b", 1, large)]).toEqual([0, 0, 1]);
  expect([await readsOf("huge", 1, 3 * large), await readsOf("huge", 1, 3 * large)]).toEqual([1, 1]);
});
