import type { ActionContext } from "../action-context.ts";
import { checkOptions } from "../check-options.ts";
import { isRetryable, mergeOptions, withinTimeout } from "../attempts.ts";
import { decodeCopy, type EncodedCopy, encodeResult, encodeThrown } from "../copy.ts";
import { ENGINE_ERRORS } from "../errors.ts";
import { type Invocable, invoke } from "../invoke.ts";
import type { LazyAbort } from "./lazy-abort.ts";
import { redactEncoded } from "../redact.ts";
import type { PayloadCodec } from "../sealed.ts";
import { opening, sealing } from "../sealing.ts";
import { secretsGiven } from "../secret.ts";
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
  /** How what is sealed is opened and made; null: there is nothing to do it by. */
  readonly codec?: PayloadCodec | null;
  /** The time is watched by someone else. */
  readonly isUntimed?: boolean;
}

/** One try of an action, for whoever runs actions on behalf of the engine. Never rejects. */
export async function attempt(given: Attempt): Promise<AttemptOutcome> {
  const { task, args, options, abort, context, elsewhere, codec = null, isUntimed = false } = given;
  let merged = task;
  try {
    if (options !== null) merged = { ...task, options: mergeOptions(task.options, calledOptions(task.name, options)) };
  } catch (error) {
    return { kind: "error", value: encodeThrown(error).text, retry: null };
  }
  let thrown: unknown;
  abort.listenIn(context);
  try {
    const work = (): Promise<unknown> => {
      const opened = opening(stored(args), codec);
      // Most calls have nothing to wait for: the handler begins at once.
      return opened instanceof Promise
        ? opened.then((values) => invoke(merged, values as unknown[], context))
        : invoke(merged, opened as unknown[], context);
    };
    if (elsewhere !== undefined) return await withinTimeout(merged, abort, elsewhere);
    const result = await (isUntimed ? work() : withinTimeout(merged, abort, work));
    const copy = sealing((sealed) => encodeResult(task.name, result, sealed), codec);
    return { kind: "result", value: (copy instanceof Promise ? await copy : copy).text };
  } catch (error) {
    thrown = error;
  }
  const copy = await encodedError(thrown, codec);
  return {
    kind: "error",
    value: redactEncoded(copy.text, secretsGiven(context)),
    retry: isRetryable(thrown, copy, merged.options) ? (merged.options.retry ?? {}) : null,
  };
}

/** What is sealed in an error stays so; if that cannot be, that is the error. */
async function encodedError(thrown: unknown, codec: PayloadCodec | null): Promise<EncodedCopy> {
  try {
    return await sealing((sealed) => encodeThrown(thrown, sealed), codec);
  } catch (error) {
    return encodeThrown(error);
  }
}

function calledOptions(name: string, encoded: string): ActionOptions {
  const options = decodeCopy(stored(encoded));
  checkOptions("with", name, options);
  return options as ActionOptions;
}

function stored(text: string): EncodedCopy {
  return { text, classes: ENGINE_ERRORS };
}
