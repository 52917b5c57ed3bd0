import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import { type Durable, nameOf } from "./name-of.ts";
import { SIGNAL, SLEEP } from "./report.ts";
import type { RunView } from "./run-view.ts";

/** An action or child workflow, by itself or by its name, alone or with its arguments. */
export type StepExpectation = Durable | string | readonly [Durable | string, ...unknown[]];

/** Sleeps and waits are left out: time is not what a test of steps is about. */
export function stepsAssertion(run: RunView, expected: readonly StepExpectation[]): void {
  const wanted = expected.map((each): unknown[] =>
    typeof each === "object" ? [nameOf(each[0]), ...each.slice(1)] : [nameOf(each)],
  );
  const steps = run.steps.filter(({ action }) => action !== SLEEP && action !== SIGNAL);
  // Where no arguments are expected, none are looked at.
  const met = steps.map(({ action, args }, index): unknown[] =>
    typeof expected[index] === "object" ? [action, ...args] : [action],
  );
  if (isDeepStrictEqual(met, wanted)) return;
  fail("The run has taken other steps than expected.", met, wanted, run, stepsAssertion);
}

export function callAssertion(run: RunView, action: string, args: readonly unknown[], wanted: boolean): void {
  const calls = run.called(action);
  const isMet = args.length === 0 ? calls.length > 0 : calls.some((call) => isDeepStrictEqual(call, args));
  if (isMet === wanted) return;
  const how = args.length === 0 ? "" : " with these arguments";
  const what = wanted ? `was not called${how}, and should have been` : `was called${how}, and should not have been`;
  fail(`"${action}" ${what}.`, calls, wanted && args.length > 0 ? [args] : [], run, callAssertion);
}

export function missingStep(place: string, run: RunView): AssertionError {
  return new AssertionError({
    message: `The run has no step "${place}" that the test asked for.\n\n${run.story()}\n`,
    stackStartFn: missingStep,
  });
}

function fail(
  problem: string,
  actual: unknown,
  expected: unknown,
  run: RunView,
  stackStartFn: (...args: never[]) => void,
): never {
  // Node writes the diff; its first line only says that there is one.
  const diff = new AssertionError({ actual, expected, operator: "deepStrictEqual" }).message;
  const message = `${problem}\n${diff.slice(diff.indexOf("\n") + 1)}\n\n${run.story()}\n`;
  throw Object.assign(new AssertionError({ message, actual, expected, operator: "deepStrictEqual", stackStartFn }), {
    generatedMessage: false,
  });
}
