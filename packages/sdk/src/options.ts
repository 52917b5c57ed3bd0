import { parseDuration } from "@cairnjs/ir";

/** Milliseconds, or a number and a unit: `"90 s"`, `"1.5 h"`, `"2 days"`. */
export type Duration = number | string;

export interface RetryOptions {
  /** How often the action is tried at most. */
  readonly attempts?: number;
  /** Wait before the second try; it doubles from there. */
  readonly baseMs?: number;
  readonly capMs?: number;
}

export interface ActionOptions {
  readonly retry?: RetryOptions;
  /** For each try; one that takes longer fails with `ActionTimeout`. */
  readonly timeout?: Duration;
  /** Names of error classes that are not worth another try. */
  readonly nonRetryable?: readonly string[];
}

/** What `.with()` takes: options of this one call. */
export interface CallOptions extends ActionOptions {
  /** Fixes the last part of the node's id, whatever becomes of the code around it. */
  readonly id?: string;
}

export interface WorkflowOptions {
  /** Defaults to the first digits of the program's hash. */
  readonly version?: string;
  readonly tags?: readonly string[];
}

/** An `id` would be the node's, and `with()` gives it. */
export interface StartOptions extends Omit<CallOptions, "id"> {
  readonly tags?: readonly string[];
}

/** NaN for what is no duration. */
export function durationMs(duration: unknown): number {
  if (typeof duration === "number") return duration;
  return typeof duration === "string" ? parseDuration(duration) : Number.NaN;
}
