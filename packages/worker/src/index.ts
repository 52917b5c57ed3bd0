export { runWorker } from "./command.ts";
export { findModules, loadModules, ModulesFailed } from "./modules.ts";
export { type Environment, readSettings, type RecycleAfter, SettingsMistake, type WorkerSettings } from "./settings.ts";
export { type Certificates, channelCredentials } from "./session/access.ts";
export { type Address, parseAddress } from "./session/address.ts";
export { Connection } from "./session/connection.ts";
export { Refused } from "./session/refused.ts";
export { Worker, type WorkerEnd, type WorkerOptions } from "./worker.ts";
