/** What operators' tools do without a running engine: loaded without what it takes to run one. */
export { DatabaseUnusable } from "./database/check-database.ts";
export { examineDatabase } from "./doctor/examine.ts";
export type { Finding } from "./doctor/finding.ts";
export { EmbeddedPostgresFailed } from "./embedded/failures.ts";
export { createKeyDirectly, NoDatabase, type WhereKeysAre } from "./library/create-key-directly.ts";
export { declareRestored } from "./library/declare-restored.ts";
export { databaseMigrations, type MigratedDatabase, migrateDatabase } from "./library/migrate-database.ts";
export { type Divergence, NotAnExport, type ReplayedRun, replayRun } from "./library/replay-run.ts";
export { warnOfKeyFiles } from "./secrets/key-files.ts";
export { MigrationRefused, type MigrationState } from "./store/migrate.ts";
