import { type DurationUnit, parseDuration } from "@cairnjs/ir/web";
import type { Needs } from "./dependency.ts";
import type { Middleware } from "./middleware.ts";
import type { ArgumentSchemas, StandardSchema } from "./standard-schema.ts";

/**
 * Milliseconds, or a number and a unit: `"90 s"`, `"1.5 h"`, `"2 days"`. A text that is only known to be a `string` is
 * none: what comes from elsewhere is declared as a `Duration` where it comes in.
 */
export type Duration = number | `${number}${DurationUnit}` | `${number} ${DurationUnit}`;

export interface RetryOptions {
  /** How often the action is tried at most. */
  readonly attempts?: number;
  /** Wait before the second try; it doubles from there. */
  readonly baseMs?: number;
  readonly capMs?: number;
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** How an action is tried: in its declaration, and for one call in `.with()`. */
export interface AttemptOptions {
  readonly retry?: RetryOptions;
  /** For each try; one that takes longer fails with `ActionTimeout`, and `currentCall().signal` is aborted. */
  readonly timeout?: Duration;
  /** Error classes that are not worth another try, or their names. */
  readonly nonRetryable?: readonly (string | ErrorClass)[];
}

/** What the calls of one key have in common; the engine calls it, in a VM. */
type LimitKeyFunction<Args extends unknown[]> = (...args: Args) => string | number | boolean;

/** What is limited over all workers and control planes together. */
export interface LimitOptions<Args extends unknown[] = never[]> {
  /** How many calls are open at one time: of each key, or in all. Further ones wait for their turn. */
  readonly concurrency?: { readonly limit: number; readonly key?: LimitKeyFunction<Args> };
  /** How many calls begin within a length of time: of each key, or in all. Further ones wait for it. */
  readonly rate?: { readonly limit: number; readonly per: Duration; readonly key?: LimitKeyFunction<Args> };
}

/** `"thread"`: a worker runs the handler in a thread of its own, so it may compute for long, and be synchronous. */
export type Isolation = "none" | "thread";

/** Of an action whose arguments are checked by their types alone. */
export interface PlainActionOptions<
  Output extends StandardSchema = StandardSchema,
  Needed extends Needs = Needs,
  Isolate extends Isolation = Isolation,
> extends AttemptOptions {
  /** A schema of the result; the caller gets what it makes of it. */
  readonly output?: Output;
  /** What the handler gets as its last argument, made for each invocation. */
  readonly needs?: Needed;
  /** Around the handler, the first one outermost. */
  readonly use?: readonly Middleware[];
  readonly isolate?: Isolate;
}

export interface ActionOptions<
  Input extends ArgumentSchemas = ArgumentSchemas,
  Output extends StandardSchema = StandardSchema,
  Needed extends Needs = Needs,
  Isolate extends Isolation = Isolation,
> extends PlainActionOptions<Output, Needed, Isolate> {
  /** A schema of the single argument, or an array of them, one per position. The handler gets what they make. */
  readonly input?: Input;
}

/** What `.with()` takes: options of this one call. */
export interface CallOptions extends AttemptOptions {
  /** Fixes the last part of the node's id, whatever becomes of the code around it. */
  readonly id?: string;
}

/** Of a workflow whose input is checked by its type alone. */
export interface PlainWorkflowOptions {
  /** Defaults to the first digits of the program's hash. */
  readonly version?: string;
  readonly tags?: readonly string[];
}

export interface WorkflowOptions<Input extends StandardSchema = StandardSchema> extends PlainWorkflowOptions {
  /** A schema of the input, checked where a run is started; the body gets what it makes of it. */
  readonly input?: Input;
}

/** An `id` would be the node's, and `with()` gives it. */
export interface StartOptions extends AttemptOptions {
  readonly tags?: readonly string[];
}

/** NaN for what is no duration. */
export function durationMs(duration: unknown): number {
  if (typeof duration === "number") return duration;
  return typeof duration === "string" ? parseDuration(duration) : Number.NaN;
}
