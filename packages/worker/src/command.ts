import { availableParallelism } from "node:os";
import { declaredActions, declaredWorkflows } from "cairnjs/host";
import { findModules, loadModules, ModulesFailed } from "./modules.ts";
import { type Environment, readSettings, SettingsMistake } from "./settings.ts";
import { Worker, type WorkerOptions } from "./worker.ts";

/** Asks to be started again: after so many actions, or with so much memory, as it was set. */
const EXIT_RECYCLED = 75;
const EXIT_FAILED = 1;
const SIGNALS = [
  ["SIGINT", 2],
  ["SIGTERM", 15],
] as const;

/** The command `cairn-worker`. Resolves with the code to exit with: what users' code has left open keeps nobody from it. */
export async function runWorker(
  env: Environment,
  folder: string,
  log: (line: string) => void,
  connected?: WorkerOptions["connected"],
): Promise<number> {
  try {
    return await run(env, folder, log, connected);
  } catch (error) {
    const isTold = error instanceof ModulesFailed || error instanceof SettingsMistake;
    log(isTold || !(error instanceof Error) ? (error as Error).message : `${error.name}: ${error.message}`);
    return EXIT_FAILED;
  }
}

async function run(
  env: Environment,
  folder: string,
  log: (line: string) => void,
  connected: WorkerOptions["connected"] = () => {},
): Promise<number> {
  const settings = readSettings(env, availableParallelism());
  const modules = await findModules(settings.modules, folder);
  await loadModules(modules);
  if (declaredActions().length + declaredWorkflows().length === 0) {
    throw new ModulesFailed(`The modules declare no action and no workflow: ${modules.join(", ")}`);
  }
  const worker = new Worker({ ...settings, modules, random: Math.random, log, connected });
  let isEnding = false;
  for (const [signal, number] of SIGNALS) {
    process.on(signal, () => {
      if (isEnding) process.exit(128 + number);
      isEnding = true;
      log(`${signal}: running calls have ${settings.drainMs} ms to end; a second signal ends at once`);
      void worker.drain(settings.drainMs);
    });
  }
  log(`${worker.id} has loaded ${modules.length} modules for the namespace ${settings.namespace}`);
  worker.connect();
  const { kind, unacknowledged } = await worker.ended;
  if (unacknowledged > 0) {
    log(`${unacknowledged} outcomes were not acknowledged: these calls are made again elsewhere`);
    return EXIT_FAILED;
  }
  return kind === "recycled" ? EXIT_RECYCLED : 0;
}
