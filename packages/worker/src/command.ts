import { availableParallelism } from "node:os";
import { declaredActions, declaredWorkflows } from "cairnjs/host";
import { asked } from "./asked-to-end.ts";
import { counted } from "./counted.ts";
import { findModules, loadModules, ModulesFailed } from "./modules.ts";
import { type Environment, SettingsMistake } from "./setting.ts";
import { readSettings } from "./settings.ts";
import { Refused } from "./session/refused.ts";
import { Worker, type WorkerOptions } from "./worker.ts";

/** Asks to be started again: after so many actions, or with so much memory, as it was set. */
const EXIT_RECYCLED = 75;
const EXIT_FAILED = 1;

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
    const isTold = [ModulesFailed, SettingsMistake, Refused].some((each) => error instanceof each);
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
  silenceServerNames();
  const settings = readSettings(env, availableParallelism());
  const modules = await findModules(settings.modules, folder);
  await loadModules(modules);
  if (declaredActions().length + declaredWorkflows().length === 0) {
    throw new ModulesFailed(`The modules declare no action and no workflow: ${modules.join(", ")}`);
  }
  const worker = new Worker({ ...settings, modules, random: Math.random, log, connected });
  void drainWhenAsked(worker, settings.drainMs, log);
  log(`${worker.id} has loaded ${counted(modules.length, "module")} for the namespace ${settings.namespace}`);
  worker.connect();
  const { kind, unacknowledged } = await worker.ended;
  if (unacknowledged > 0) {
    log(`Nobody has acknowledged ${counted(unacknowledged, "outcome")}: what these are of is made again elsewhere`);
    return EXIT_FAILED;
  }
  return kind === "recycled" ? EXIT_RECYCLED : 0;
}

async function drainWhenAsked(worker: Worker, limitMs: number, log: (line: string) => void): Promise<void> {
  const signal = await asked();
  log(`${signal}: running calls have ${limitMs} ms to end; a second signal ends at once`);
  void worker.drain(limitMs);
}

/** TLS is given the host of an address by grpc-js, also where that is no name. Nobody who runs a worker can change that. */
function silenceServerNames(): void {
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    if (args[2] !== "DEP0123") emit(...args);
  };
}
