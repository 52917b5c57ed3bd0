import { type LogSettings, readLogSettings, SettingsMistake } from "@cairnjs/worker";
import { CannotRun } from "../cannot-run.ts";
import type { Environment } from "./known-settings.ts";

/** How logs are written. */
export function logSettings(env: Environment): LogSettings {
  try {
    return readLogSettings(env);
  } catch (error) {
    if (error instanceof SettingsMistake) throw new CannotRun(error.message, { cause: error });
    throw error;
  }
}
