import { randomUUID } from "node:crypto";
import { type ActionContext, type ActionLog, callAtHand } from "./action-context.ts";
import { encodeCopy } from "./copy.ts";
import { currentRunId } from "./run-context.ts";

/** Of one call of an action, for all its attempts; natively each call of a run has a random id. */
export interface NativeCall {
  readonly action: string;
  readonly runId: string;
  readonly idempotencyKey: string;
}

/** An action that another one calls belongs to the same run. */
export function nativeCall(action: string): NativeCall {
  const runId = callAtHand()?.runId ?? currentRunId() ?? randomUUID();
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
