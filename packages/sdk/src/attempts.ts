import { type ActionContext, withinCall } from "./action-context.ts";
import { ChunkGate } from "./chunk-gate.ts";
import { decodeCopy, type EncodedCopy, encodeResult, encodeThrown } from "./copy.ts";
import { ActionTimeout } from "./errors.ts";
import { type Invocable, invoke } from "./invoke.ts";
import { nativeCall, nativeContext } from "./native-call.ts";
import { type AttemptOptions, durationMs } from "./options.ts";
import { redactEncoded, redactThrown } from "./redact.ts";
import { IN_MEMORY } from "./sealing.ts";
import { giveSecrets, type GivenSecrets } from "./secret.ts";
import { TIMEOUT_MS_MAX } from "./sleep.ts";

export interface Outcome {
  readonly kind: "result" | "error";
  readonly copy: EncodedCopy;
}

/**
 * Runs an action's handler here, in this process, for unit tests and the in-memory runner. Tried once unless its
 * options ask for more; between tries nothing is waited for. Each try gets arguments of its own. `first` is the number
 * of the first try, for who counts those before it; `streamed` hears of chunks, encoded;
 * `secrets` are those that it may know.
 */
export async function perform(
  task: Invocable,
  args: EncodedCopy,
  first = 1,
  streamed: (chunk: string) => void = () => {},
  secrets?: GivenSecrets,
): Promise<Outcome> {
  const attemptsMax = first - 1 + (task.options.retry?.attempts ?? 1);
  const call = nativeCall(task.name);
  for (let attempt = first; ; attempt++) {
    const controller = new AbortController();
    const gate = new ChunkGate(task.name, () => context.log);
    const context: ActionContext = nativeContext(call, attempt, controller.signal, gate, streamed);
    if (secrets !== undefined) giveSecrets(context, secrets);
    // Who listens to the signal is part of the attempt, and may ask for it.
    const abort = { abort: (reason: unknown) => withinCall(context, () => controller.abort(reason)) };
    let thrown: unknown;
    try {
      const result = await withinTimeout(task, abort, () =>
        invoke(task, decodeCopy(args, IN_MEMORY) as unknown[], context),
      );
      return { kind: "result", copy: encodeResult(task.name, result, IN_MEMORY) };
    } catch (error) {
      thrown = error;
    } finally {
      gate.close();
    }
    redactThrown(thrown, secrets);
    const copy = encodeThrown(thrown, IN_MEMORY);
    const outcome: Outcome = { kind: "error", copy: { ...copy, text: redactEncoded(copy.text, secrets) } };
    if (attempt >= attemptsMax || !isRetryable(thrown, outcome.copy, task.options)) return outcome;
  }
}

/** Work that does not listen to the signal goes on; nobody hears of what becomes of it. */
export async function withinTimeout<T>(
  task: Invocable,
  abort: { abort(reason: unknown): void },
  work: () => Promise<T>,
): Promise<T> {
  if (task.options.timeout === undefined) return work();
  const ms = durationMs(task.options.timeout);
  if (!(ms >= 0)) throw new RangeError(`The timeout of ${task.name} is no duration`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const ring = (): void => {
      const error = new ActionTimeout(`${task.name} took longer than ${ms} ms`);
      reject(error);
      abort.abort(error);
    };
    timer = setTimeout(ring, Math.min(ms, TIMEOUT_MS_MAX));
  });
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** What does not fit or cannot be stored will not become better by trying again. */
const NEVER_RETRIED: ReadonlySet<string> = new Set([
  "NotStorable",
  "InvalidInput",
  "InvalidOutput",
  "ChunkRefused",
  "SecretMissing",
  "SecretNotSent",
  "SealedUnread",
]);

export function isRetryable(thrown: unknown, copy: EncodedCopy, { nonRetryable = [] }: AttemptOptions): boolean {
  const names = errorNames(copy);
  if (names.some((name) => NEVER_RETRIED.has(name))) return false;
  return !nonRetryable.some((each) => (typeof each === "string" ? names.includes(each) : thrown instanceof each));
}

/** Class names of an encoded error, most derived first; none for another value. */
function errorNames({ text }: EncodedCopy): readonly string[] {
  const value = JSON.parse(text) as {
    $error?: { names: string[] };
    $def?: [number, { $error?: { names: string[] } }];
  } | null;
  return (value?.$def?.[1] ?? value)?.$error?.names ?? [];
}

/** Options of the call win over those of the declaration, key by key. */
export function mergeOptions<O extends object>(declared: O, called: object): O {
  return { ...declared, ...called };
}
