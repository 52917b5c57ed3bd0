import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import type { Workflow } from "../workflow.ts";
import { RestoreDiffers } from "./machine-driver.ts";
import type { TestArgs, TestOptions } from "./test-options.ts";
import { type TestRun, testRun } from "./test-run.ts";

type Input = [input?: unknown];
type Options<Args extends Input> = Exclude<TestArgs<Args>[0], undefined>;

/** Options, or for mocks that keep something a function that makes new ones for each run. */
export type OptionsForEach<Args extends Input> = Options<Args> | ((seed: number) => Options<Args>);

/**
 * Runs the workflow once as usual and then under `count` orders in which steps end, and throws at the first that
 * ends otherwise: with its seed and both stories. `same` picks what has to be alike; unless given, how the run ended.
 */
export async function everySchedule<Args extends Input, Result>(
  workflow: Workflow<Args, Result>,
  options: OptionsForEach<Args>,
  count = 100,
  same: (run: TestRun<Result>) => unknown = () => null,
): Promise<void> {
  const first = await played(workflow, options, 0, {});
  for (let seed = 1; seed <= count; seed++) {
    const run = await played(workflow, options, seed, { schedule: seed });
    const [expected, actual] = [first, run].map((each) => ({ outcome: each.outcome, same: same(each.run) }));
    if (isDeepStrictEqual(actual, expected)) continue;
    const message =
      `With \`schedule: ${seed}\` the run ends otherwise than in the usual order.\n\n` +
      `In the usual order:\n${first.run.story()}\n\nWith \`schedule: ${seed}\`:\n${run.run.story()}\n`;
    throw new AssertionError({ message, actual, expected, operator: "deepStrictEqual", stackStartFn: everySchedule });
  }
}

/** Runs the workflow twice, the second time restored from a snapshot between any two instructions; both must do the same. */
export async function checkRestore<Args extends Input, Result>(
  workflow: Workflow<Args, Result>,
  options: OptionsForEach<Args>,
): Promise<void> {
  const once = await played(workflow, options, 0, {});
  const restored = await played(workflow, options, 0, { restoreEverywhere: true });
  if (isDeepStrictEqual(restored.outcome, once.outcome) && isDeepStrictEqual(restored.run.steps, once.run.steps))
    return;
  throw new RestoreDiffers(
    `The run goes on otherwise when it is restored between its instructions.\n\n` +
      `As usual:\n${once.run.story()}\n\nRestored:\n${restored.run.story()}\n`,
  );
}

interface Played<Result> {
  readonly run: TestRun<Result>;
  readonly outcome: { readonly result: unknown } | { readonly error: unknown };
}

async function played<Args extends Input, Result>(
  workflow: Workflow<Args, Result>,
  options: OptionsForEach<Args>,
  seed: number,
  more: TestOptions,
): Promise<Played<Result>> {
  const given = typeof options === "function" ? options(seed) : options;
  const run = testRun(workflow, ...([{ ...given, ...more }] as TestArgs<Args>));
  try {
    return { run, outcome: { result: await run.result } };
  } catch (error) {
    return { run, outcome: { error } };
  }
}
