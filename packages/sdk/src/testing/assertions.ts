import { AssertionError } from "node:assert";
import { inspect, isDeepStrictEqual } from "node:util";
import { lineDiff } from "./line-diff.ts";
import { type Durable, nameOf } from "./name-of.ts";
import { SIGNAL, SLEEP } from "./report.ts";
import type { RunView } from "./run-view.ts";

/** An action or child workflow, by itself or by its name, alone or with its arguments. */
export type StepExpectation = Durable | string | readonly [Durable | string, ...unknown[]];

interface Call {
  readonly action: string;
  /** Null: whatever they are. */
  readonly args: readonly unknown[] | null;
}

/** Sleeps and waits are left out: time is not what a test of steps is about. */
export function assertSteps(run: RunView, expected: readonly StepExpectation[]): void {
  const wanted = expected.map((each): Call =>
    typeof each === "object" ? { action: nameOf(each[0]), args: each.slice(1) } : { action: nameOf(each), args: null },
  );
  const steps = run.steps.filter(({ action }) => action !== SLEEP && action !== SIGNAL);
  // Where no arguments are expected, none are looked at.
  const met = steps.map(({ action, args }, index): Call => ({
    action,
    args: wanted[index]?.args === null ? null : args,
  }));
  if (!isDeepStrictEqual(met, wanted)) fail("The run has taken other steps than expected.", met, wanted, run);
}

export function assertCalls(run: RunView, action: string, args: readonly unknown[], isWanted: boolean): void {
  const calls = run.called(action).map((each): Call => ({ action, args: each }));
  const isMet = args.length === 0 ? calls.length > 0 : calls.some((call) => isDeepStrictEqual(call.args, args));
  if (isMet === isWanted) return;
  const how = args.length === 0 ? "" : " with these arguments";
  const what = isWanted ? `was not called${how}, and should have been` : `was called${how}, and should not have been`;
  const wanted = isWanted ? [{ action, args: args.length === 0 ? null : args }] : [];
  fail(`"${action}" ${what}.`, calls, wanted, run);
}

export function missingStep(place: string, run: RunView): AssertionError {
  return new AssertionError({ message: `The run has no step ${place}.\n\n${run.story()}\n` });
}

/** With `actual` and `expected`, for runners that show a difference of their own. */
function fail(problem: string, actual: readonly Call[], expected: readonly Call[], run: RunView): never {
  const diff = lineDiff(actual.map(callLine), expected.map(callLine));
  throw new AssertionError({ message: `${problem}\n\n${diff}\n\n${run.story()}\n`, actual, expected });
}

function callLine({ action, args }: Call): string {
  if (args === null) return action;
  return `${action}(${args.map((each) => inspect(each, { depth: 8, breakLength: Infinity })).join(", ")})`;
}
