export { Cairn, type CairnOptions, createCairn } from "./library/create-cairn.ts";
export { EngineError, type EngineErrorCode } from "./library/engine-error.ts";
export { RunHandle, type RunStatus, type RunStep } from "./library/run-handle.ts";
export type { StartRunOptions } from "./library/start-options.ts";
