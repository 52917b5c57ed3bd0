import type { CallStep, LocalRun, StepRecord } from "./local-run.ts";
import { isAt, type Place } from "./place.ts";

/** A failure that the test wants to see handled. */
export interface InjectedFailure {
  /** The action, its name, or its node's id. */
  readonly at: Place;
  /** Which of its calls fails, from 1; without it every one. */
  readonly call?: number;
  /** How many tries of the call fail; without it all of them. */
  readonly attempts?: number;
  readonly error: unknown;
}

/** A cancellation that the test wants to see handled. */
export interface InjectedCancellation {
  /** The run is cancelled before this step does anything: its number, from 1, or where it is. */
  readonly before: number | Place;
  readonly reason?: string;
}

/** Owns: which calls each failure has met. */
export class Failures {
  readonly #met: readonly { readonly failure: InjectedFailure; readonly calls: StepRecord[] }[];

  constructor(failures: readonly InjectedFailure[]) {
    this.#met = failures.map((failure) => ({ failure, calls: [] }));
  }

  /** What the try that begins now fails with, or null. */
  of({ record }: CallStep): { readonly error: unknown } | null {
    let found: InjectedFailure | null = null;
    for (const { failure, calls } of this.#met) {
      if (!isAt(failure.at, record.step)) continue;
      if (!calls.includes(record)) calls.push(record);
      const nth = calls.indexOf(record) + 1;
      if ((failure.call ?? nth) !== nth || record.attempts.length > (failure.attempts ?? Infinity)) continue;
      found ??= failure;
    }
    return found;
  }
}

/** When the run is to be cancelled: once. */
export function cancellationOf(cancel: InjectedCancellation | undefined): (main: LocalRun) => string | null {
  let isDone = cancel === undefined;
  return ({ steps }) => {
    if (isDone || cancel === undefined) return null;
    const { before, reason = "The test has cancelled the run" } = cancel;
    isDone = typeof before === "number" ? steps.length >= before : steps.some(({ step }) => isAt(before, step));
    return isDone ? reason : null;
  };
}
