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

export interface ScheduleOptions<Result> {
  /** How many orders are tried; 100 unless told. */
  readonly count?: number;
  /** What has to be alike; unless told, the run's result, or its error. */
  readonly same?: (run: TestRun<Result>) => unknown;
}

/**
 * Runs the workflow once in the usual order and then in many others in which steps may end, and throws at the first
 * that ends otherwise: with its seed and both stories.
 */
export async function everySchedule<Args extends Input, Result>(
  workflow: Workflow<Args, Result>,
  options: OptionsForEach<Args>,
  { count = 100, same = (run) => run.result }: ScheduleOptions<Result> = {},
): Promise<void> {
  const usual = await played(workflow, options, 0, {}, same);
  for (let seed = 1; seed <= count; seed++) {
    const { run, outcome } = await played(workflow, options, seed, { schedule: seed }, same);
    if (isDeepStrictEqual(outcome, usual.outcome)) continue;
    const message =
      `With \`schedule: ${seed}\` the run ends otherwise than in the usual order.\n\n` +
      `In the usual order:\n${usual.run.story()}\n\nWith \`schedule: ${seed}\`:\n${run.story()}\n`;
    throw new AssertionError({ message, actual: outcome, expected: usual.outcome, operator: "deepStrictEqual" });
  }
}

/** Runs the workflow twice, the second time restored from a snapshot between any two instructions; both must do the same. */
export async function checkRestore<Args extends Input, Result>(
  workflow: Workflow<Args, Result>,
  options: OptionsForEach<Args>,
): Promise<void> {
  const same = (run: TestRun<Result>): unknown => run.result;
  const once = await played(workflow, options, 0, {}, same);
  const restored = await played(workflow, options, 0, { restoreEverywhere: true }, same);
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
  same: (run: TestRun<Result>) => unknown,
): Promise<Played<Result>> {
  const given = typeof options === "function" ? options(seed) : options;
  const run = testRun(workflow, ...([{ ...given, ...more }] as TestArgs<Args>));
  try {
    await run.proceed();
    return { run, outcome: { result: await same(run) } };
  } catch (error) {
    return { run, outcome: { error } };
  }
}
