import { afterEach, expect, it, vi } from "vitest";
import agent, { input as question } from "../../../examples/agent.ts";
import checkout, { input as order } from "../../../examples/checkout.ts";
import mapReduce, { input as top } from "../../../examples/map-reduce.ts";
import onboarding, { input as signup, signals } from "../../../examples/onboarding.ts";
import { withSignals } from "../src/index.ts";
import { testRun } from "../src/testing/index.ts";

afterEach(() => vi.useRealTimers());

/** Hours of sleep pass as soon as nothing else happens. */
async function natively<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["setTimeout", "Date"] });
  const result = work();
  const ended = result.then(
    () => true,
    () => true,
  );
  const tick = (): Promise<false> => new Promise((resolve) => setImmediate(() => resolve(false)));
  while (!(await Promise.race([ended, tick()]))) await vi.advanceTimersByTimeAsync(3_600_000);
  vi.useRealTimers();
  return result;
}

it("an example called as a function gives what it gives as a program", async () => {
  expect(await natively(() => agent(question))).toEqual(await testRun(agent, { input: question }).result);
  expect(await natively(() => checkout(order))).toEqual(await testRun(checkout, { input: order }).result);
  expect(await natively(() => mapReduce(top))).toEqual(await testRun(mapReduce, { input: top }).result);
  const onboarded = await natively(() => withSignals(signals, () => onboarding(signup)));
  expect(onboarded).toEqual(await testRun(onboarding, { input: signup, signals }).result);
  expect(onboarded.outcome).toBe("team");
});
