import { decodeNative, NotStorable } from "@cairnjs/ir";
import { encodeCopy, type EncodedCopy } from "./copy.ts";
import type { Handler } from "./definition.ts";
import { ActionTimeout } from "./errors.ts";
import { type ActionOptions, durationMs } from "./options.ts";

export interface Task {
  readonly name: string;
  readonly handler: Handler;
  readonly options: ActionOptions;
}

export interface Outcome {
  readonly kind: "result" | "error";
  readonly copy: EncodedCopy;
}

/**
 * Runs an action's handler here, in this process, for unit tests and the in-memory runner. Tried once unless its
 * options ask for more; between tries nothing is waited for. Each try gets arguments of its own.
 */
export async function perform(task: Task, args: EncodedCopy): Promise<Outcome> {
  const attemptsMax = task.options.retry?.attempts ?? 1;
  for (let attempt = 1; ; attempt++) {
    const outcome = await performOnce(task, args);
    if (outcome.kind === "result" || attempt >= attemptsMax || !isRetryable(outcome, task.options)) return outcome;
  }
}

async function performOnce(task: Task, { text, classes }: EncodedCopy): Promise<Outcome> {
  let thrown: unknown;
  try {
    const args = decodeNative(text, { errorClasses: classes }) as never[];
    const result = await withinTimeout(task, task.handler(...args));
    return { kind: "result", copy: encodeCopy(result, "result") };
  } catch (error) {
    thrown = error;
  }
  return { kind: "error", copy: encodeThrown(thrown) };
}

/** Something that cannot be stored may be thrown too; that it cannot is then the error. */
export function encodeThrown(thrown: unknown): EncodedCopy {
  try {
    return encodeCopy(thrown, "error");
  } catch (error) {
    if (!(error instanceof NotStorable)) throw error;
    return encodeCopy(error, "error");
  }
}

async function withinTimeout<T>(task: Task, work: Promise<T>): Promise<T> {
  if (task.options.timeout === undefined) return work;
  const ms = durationMs(task.options.timeout);
  if (!(ms >= 0)) throw new RangeError(`The timeout of ${task.name} is no duration`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ActionTimeout(`${task.name} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** A result that cannot be stored will not become storable by trying again. */
export function isRetryable({ copy }: Outcome, options: ActionOptions): boolean {
  const names = errorNames(copy);
  return !names.some((name) => name === "NotStorable" || options.nonRetryable?.includes(name));
}

/** Class names of an encoded error, most derived first; none for another value. */
function errorNames({ text }: { readonly text: string }): readonly string[] {
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
