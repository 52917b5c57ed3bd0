import { runWorker, workerLog } from "@cairnjs/worker";
import { Output } from "../output/output.ts";
import { logSettings } from "../settings/log-settings.ts";
import { readEnvironment } from "../settings/config-file.ts";
import { CONNECTION_SETTINGS, type Environment, WORKER_SETTINGS } from "../settings/known-settings.ts";

export interface WorkerFlags {
  readonly json?: true;
}

/** `cairn worker [FILES]`: what `cairn-worker` does, with flags. */
export async function workerCommand(
  files: readonly string[],
  flags: WorkerFlags,
  environment: Environment,
  output: Output,
): Promise<number> {
  const env = await readEnvironment(environment, [...CONNECTION_SETTINGS, ...WORKER_SETTINGS], flags);
  const modules = files.length === 0 ? {} : { CAIRN_MODULES: files.join(",") };
  const settings = logSettings(env);
  const writeText = (line: string): void => output.note(line);
  const writeError = (line: string): void => void process.stderr.write(line);
  let log = workerLog(settings, process.stderr.isTTY, writeText, writeError);
  // The output belongs to users' code, unless it is data.
  if (flags.json === true) {
    Output.divertStdout();
    log = workerLog({ ...settings, format: "json" }, false, writeText, (line) => output.line(line.trimEnd()));
  }
  return runWorker({ ...env, ...modules }, process.cwd(), log);
}
