export { runWorker } from "./command.ts";
export { findModules, loadModules, ModulesFailed } from "./modules.ts";
export { type Environment, readSettings, type RecycleAfter, SettingsMistake, type WorkerSettings } from "./settings.ts";
export type { Certificates } from "./session/access.ts";
export { Worker, type WorkerEnd, type WorkerOptions } from "./worker.ts";
