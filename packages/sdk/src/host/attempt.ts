import type { ActionContext } from "../action-context.ts";
import { checkOptions } from "../check-options.ts";
import { isRetryable, mergeOptions, withinTimeout } from "../attempts.ts";
import { decodeCopy, type EncodedCopy, encodeResult, encodeThrown } from "../copy.ts";
import { ENGINE_ERRORS } from "../errors.ts";
import { type Invocable, invoke } from "../invoke.ts";
import type { LazyAbort } from "./lazy-abort.ts";
import type { ActionOptions, RetryOptions } from "../options.ts";

/** How one try of an action has ended; values are in the tagged encoding. */
export type AttemptOutcome =
  | { readonly kind: "result"; readonly value: string }
  /** `retry` is how the action is tried, where it says so; null if trying again would not help. */
  | { readonly kind: "error"; readonly value: string; readonly retry: RetryOptions | null };

export interface Attempt {
  readonly task: Invocable;
  /** Array of arguments. */
  readonly args: string;
  /** What `.with()` gave the call. */
  readonly options: string | null;
  /** Behind the signal of the context. */
  readonly abort: LazyAbort;
  readonly context: ActionContext;
  /** Has the handler run somewhere else, in a thread for instance: only the time that it takes is watched here. */
  readonly elsewhere?: () => Promise<AttemptOutcome>;
  /** The time is watched by someone else. */
  readonly isUntimed?: boolean;
}

/** One try of an action, for whoever runs actions on behalf of the engine. Never rejects. */
export async function attempt(given: Attempt): Promise<AttemptOutcome> {
  const { task, args, options, abort, context, elsewhere, isUntimed = false } = given;
  let merged = task;
  try {
    if (options !== null) merged = { ...task, options: mergeOptions(task.options, calledOptions(task.name, options)) };
  } catch (error) {
    return { kind: "error", value: encodeThrown(error).text, retry: null };
  }
  let thrown: unknown;
  abort.listenIn(context);
  try {
    const work = (): Promise<unknown> => invoke(merged, decodeCopy(stored(args)) as unknown[], context);
    if (elsewhere !== undefined) return await withinTimeout(merged, abort, elsewhere);
    const result = await (isUntimed ? work() : withinTimeout(merged, abort, work));
    return { kind: "result", value: encodeResult(task.name, result).text };
  } catch (error) {
    thrown = error;
  }
  const copy = encodeThrown(thrown);
  return {
    kind: "error",
    value: copy.text,
    retry: isRetryable(thrown, copy, merged.options) ? (merged.options.retry ?? {}) : null,
  };
}

function calledOptions(name: string, encoded: string): ActionOptions {
  const options = decodeCopy(stored(encoded));
  checkOptions("with", name, options);
  return options as ActionOptions;
}

function stored(text: string): EncodedCopy {
  return { text, classes: ENGINE_ERRORS };
}
