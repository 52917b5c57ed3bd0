import { resolve } from "node:path";
import { availableParallelism } from "node:os";
import { declaredActions, declaredWorkflows } from "cairnjs/host";
import { asked } from "./asked-to-end.ts";
import { loadCodec } from "./codec-module.ts";
import { counted } from "./counted.ts";
import type { Logger } from "./host/log.ts";
import { isLogged, jsonLogger, type LogSettings, textLogger } from "./log-settings.ts";
import { findModules, loadModules, ModulesFailed } from "./modules.ts";
import { type Environment, SettingsMistake } from "./setting.ts";
import { readSettings } from "./settings.ts";
import { Refused } from "./session/refused.ts";
import { silenceServerNames } from "./silence-server-names.ts";
import { Worker, type WorkerOptions } from "./worker.ts";

/** Asks to be started again: after so many actions, or with so much memory, as it was set. */
const EXIT_RECYCLED = 75;
const EXIT_FAILED = 1;

/** What a worker's process has to say. */
export interface WorkerLog {
  /** A line of its own. */
  readonly say: (line: string, level?: "info" | "error") => void;
  /** For what handlers log. */
  readonly logger: Logger;
}

/** As the settings want it: lines for people, or JSON. */
export function workerLog(
  settings: LogSettings,
  isTerminal: boolean,
  writeText: (line: string) => void,
  writeJson: (line: string) => void,
): WorkerLog {
  if (settings.format === "json" || (settings.format === null && !isTerminal)) {
    const logger = jsonLogger(settings, writeJson);
    return { logger, say: (line, level = "info") => logger[level]({}, line) };
  }
  const say: WorkerLog["say"] = (line, level = "info") => {
    if (isLogged(level, settings)) writeText(line);
  };
  return { logger: textLogger(settings), say };
}

/** The command `cairn-worker`. Resolves with the code to exit with: what users' code has left open keeps nobody from it. */
export async function runWorker(
  env: Environment,
  folder: string,
  log: WorkerLog,
  connected?: WorkerOptions["connected"],
): Promise<number> {
  try {
    return await run(env, folder, log, connected);
  } catch (error) {
    const isTold = [ModulesFailed, SettingsMistake, Refused].some((each) => error instanceof each);
    log.say(
      isTold || !(error instanceof Error) ? (error as Error).message : `${error.name}: ${error.message}`,
      "error",
    );
    return EXIT_FAILED;
  }
}

async function run(
  env: Environment,
  folder: string,
  { say, logger }: WorkerLog,
  connected: WorkerOptions["connected"] = () => {},
): Promise<number> {
  silenceServerNames();
  const settings = readSettings(env, availableParallelism());
  const modules = await findModules(settings.modules, folder);
  await loadModules(modules);
  const codecModule = settings.codecModule === null ? null : resolve(folder, settings.codecModule);
  const codec = await loadCodec(codecModule);
  if (declaredActions().length + declaredWorkflows().length === 0) {
    throw new ModulesFailed(`The modules declare no action and no workflow: ${modules.join(", ")}`);
  }
  const worker = new Worker({
    ...settings,
    modules,
    codec,
    codecModule,
    random: Math.random,
    log: say,
    logger,
    connected,
  });
  void drainWhenAsked(worker, settings.drainMs, say);
  say(`${worker.id} has loaded ${counted(modules.length, "module")} for the namespace ${settings.namespace}`);
  worker.connect();
  const { kind, unacknowledged } = await worker.ended;
  if (unacknowledged > 0) {
    say(
      `Nobody has acknowledged ${counted(unacknowledged, "outcome")}: what these are of is made again elsewhere`,
      "error",
    );
    return EXIT_FAILED;
  }
  return kind === "recycled" ? EXIT_RECYCLED : 0;
}

async function drainWhenAsked(worker: Worker, limitMs: number, say: WorkerLog["say"]): Promise<void> {
  const signal = await asked();
  say(`${signal}: running calls have ${limitMs} ms to end; a second signal ends at once`);
  void worker.drain(limitMs);
}
