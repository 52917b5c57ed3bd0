import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { encodeCopy } from "./copy.ts";
import { currentRunId } from "./run-context.ts";

export interface ActionLog {
  debug(message: string, details?: unknown): void;
  info(message: string, details?: unknown): void;
  warn(message: string, details?: unknown): void;
  error(message: string, details?: unknown): void;
}

/** What a handler, its providers and its middleware may know of the attempt they are part of. */
export interface ActionContext {
  /** Aborted when the attempt is timed out or cancelled: whatever it does then is in vain. */
  readonly signal: AbortSignal;
  /** Counts from 1. */
  readonly attempt: number;
  /** The same in all attempts of one call, and of no other call: for services that do a thing once per key. */
  readonly idempotencyKey: string;
  readonly runId: string;
  /** The action's name. */
  readonly action: string;
  /** Says that the attempt is alive, and how far it is. */
  heartbeat(details?: unknown): void;
  readonly log: ActionLog;
}

const calls = new AsyncLocalStorage<ActionContext>();

/** The attempt that this code is part of: in the handler of an action, a provider or middleware. */
export function currentCall(): ActionContext {
  const context = calls.getStore();
  if (context === undefined) {
    throw new Error("currentCall() belongs into the handler of an action. Call it there, or in a provider it needs.");
  }
  return context;
}

export function withinCall<T>(context: ActionContext, work: () => T): T {
  return calls.run(context, work);
}

/** Of one call of an action, for all its attempts; natively each call of a run has a random id. */
export interface NativeCall {
  readonly action: string;
  readonly runId: string;
  readonly idempotencyKey: string;
}

export function nativeCall(action: string): NativeCall {
  const runId = currentRunId() ?? randomUUID();
  return { action, runId, idempotencyKey: `${runId}/${randomUUID()}` };
}

export function nativeContext(call: NativeCall, attempt: number, signal: AbortSignal): ActionContext {
  return {
    ...call,
    attempt,
    signal,
    // As on the engine, where details are sent to people who look at the run.
    heartbeat: (details) => void encodeCopy(details, "details"),
    log: consoleLog(call.action),
  };
}

function consoleLog(action: string): ActionLog {
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, ...details: unknown[]): void =>
      console[level](`[${action}] ${message}`, ...details);
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
