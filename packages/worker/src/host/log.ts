import { consoleLog } from "cairnjs/host";
import type { ActionLog } from "cairnjs";
import type { Dispatch } from "./calls.ts";
import { traceIdOf } from "./trace-ids.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where logs go: facts, and a text for people. A logger of `pino` is one. */
export type Logger = Readonly<Record<LogLevel, (facts: object, message: string) => void>>;

/** What a handler logs, with what its attempt is beside it; without a logger, on the console. */
export function actionLog(dispatch: Dispatch, logger: Logger | null): ActionLog {
  if (logger === null) return consoleLog(dispatch.action);
  const { namespace, runId, type, call, attempt, action, traceparent } = dispatch;
  const trace = traceparent === null ? {} : { traceId: traceIdOf(traceparent) };
  const about = { namespace, runId, type, call, attempt, action, ...trace };
  const write =
    (level: LogLevel) =>
    (message: string, details?: unknown): void =>
      logger[level]({ ...about, ...factsOf(details) }, message);
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** An error stands where `pino` looks for one. */
function factsOf(details: unknown): object {
  if (details === undefined) return {};
  return details instanceof Error ? { err: details } : { details };
}
