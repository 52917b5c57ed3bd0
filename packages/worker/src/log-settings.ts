import { pino } from "pino";
import type { Logger, LogLevel } from "./host/log.ts";
import { type Environment, SettingsMistake, text } from "./setting.ts";

const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export interface LogSettings {
  /** What is less than this is not logged. */
  readonly level: LogLevel | "silent";
  /** Null: lines for people on a terminal, JSON elsewhere. */
  readonly format: "text" | "json" | null;
}

export function readLogSettings(env: Environment): LogSettings {
  const level = text(env, "CAIRN_LOG_LEVEL") ?? "info";
  const format = text(env, "CAIRN_LOG_FORMAT");
  if (!LEVELS.includes(level as LogSettings["level"])) {
    throw new SettingsMistake(`CAIRN_LOG_LEVEL is one of ${LEVELS.join(", ")}, not ${JSON.stringify(level)}`);
  }
  if (format !== null && format !== "text" && format !== "json") {
    throw new SettingsMistake(`CAIRN_LOG_FORMAT is text or json, not ${JSON.stringify(format)}`);
  }
  return { level: level as LogSettings["level"], format };
}

/** Whether a message of this level is logged. */
export function isLogged(level: LogLevel, { level: least }: LogSettings): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** Objects of JSON, a line each, in the format of `pino`, which what collects logs understands. */
export function jsonLogger({ level }: LogSettings, write: (line: string) => void): Logger {
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

/** Lines for people. */
export function textLogger(settings: LogSettings): Logger {
  const write =
    (level: LogLevel) =>
    (
      facts: { readonly action?: string; readonly details?: unknown; readonly err?: unknown },
      message: string,
    ): void => {
      if (!isLogged(level, settings)) return;
      const beside = [facts.details, facts.err].filter((each) => each !== undefined);
      console[level](facts.action === undefined ? message : `[${facts.action}] ${message}`, ...beside);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
