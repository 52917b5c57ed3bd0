import { runWorker } from "@cairnjs/worker";
import { openLog } from "../output/log.ts";
import { Output } from "../output/output.ts";
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
  // The output belongs to users' code, unless it is data.
  let say = (line: string): void => output.note(line);
  if (flags.json === true) {
    Output.divertStdout();
    const log = openLog(true, output);
    say = (line) => log.info(line);
  }
  return runWorker({ ...env, ...modules }, process.cwd(), say);
}
