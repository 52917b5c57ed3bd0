import { randomUUID } from "node:crypto";
import { type ActionContext, type ActionLog, callAtHand } from "./action-context.ts";
import type { ChunkGate } from "./chunk-gate.ts";
import { decodeCopy, encodeCopy, type EncodedCopy } from "./copy.ts";
import { currentRunId } from "./run-context.ts";

/** Of one call of an action, for all its attempts; natively each call of a run has a random id. */
export interface NativeCall {
  readonly action: string;
  readonly runId: string;
  readonly call: string;
  readonly idempotencyKey: string;
  /** What its last attempt that told something has told. */
  told: EncodedCopy | null;
}

/** An action that another one calls belongs to the same run. */
export function nativeCall(action: string): NativeCall {
  const runId = callAtHand()?.runId ?? currentRunId() ?? randomUUID();
  const call = randomUUID();
  return { action, runId, call, idempotencyKey: `${runId}/${call}`, told: null };
}

/** `gate` lets chunks through, `streamed` hears of them. */
export function nativeContext(
  native: NativeCall,
  attempt: number,
  signal: AbortSignal,
  gate: ChunkGate,
  streamed: (chunk: string) => void,
): ActionContext {
  const { action, runId, call, idempotencyKey, told } = native;
  return {
    action,
    runId,
    call,
    idempotencyKey,
    attempt,
    signal,
    deadline: null,
    heartbeatDetails: told === null ? undefined : decodeCopy(told),
    // Copied as on the engine, where the next attempt may be on another machine.
    heartbeat: (details) => {
      native.told = encodeCopy(details, "details");
    },
    // Nobody is waited for: whoever hears of chunks here takes them at once.
    stream: (chunk) => {
      if (signal.aborted) return refused(signal.reason);
      return gate.send(chunk, ({ text }) => streamed(text));
    },
    log: consoleLog(action),
  };
}

/** Handlers that do not await it go on. */
function refused(reason: unknown): Promise<never> {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
}

export function consoleLog(action: string): ActionLog {
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, ...details: unknown[]): void =>
      console[level](`[${action}] ${message}`, ...details);
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
