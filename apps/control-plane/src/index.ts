export { DatabaseUnusable, type DatabaseProblem } from "./database/check-database.ts";
export { EmbeddedPostgresFailed, type EmbeddedFailureCode, FolderInUse } from "./embedded/embedded-postgres.ts";
export type { CairnOptions } from "./library/cairn-options.ts";
export { Cairn, createCairn } from "./library/create-cairn.ts";
export { EngineError, type EngineErrorCode } from "./library/engine-error.ts";
export { RunHandle, type RunState, type RunStatus, type RunStep } from "./library/run-handle.ts";
export { type FrameView, Shown } from "@cairnjs/vm";
export type { RunsFilter } from "./library/runs-filter.ts";
export type { StartRunOptions } from "./library/start-options.ts";
