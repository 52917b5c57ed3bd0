export type { Logger } from "@cairnjs/worker/host";
export type { WarningFacts } from "./warn.ts";
export { DatabaseUnusable, type DatabaseProblem } from "./database/check-database.ts";
export { EmbeddedPostgresFailed, type EmbeddedFailureCode, FolderInUse } from "./embedded/embedded-postgres.ts";
export type { CairnOptions } from "./library/cairn-options.ts";
export { Cairn, createCairn } from "./library/create-cairn.ts";
export { Outbox, type OutboxEventView } from "./library/outbox.ts";
export { type RemovedByRetention, Retention, type RetentionRule } from "./library/retention.ts";
export type { OverOfType, RetentionPreview } from "./maintenance/preview.ts";
export type { RetentionOptions } from "./maintenance/retention-settings.ts";
export { Secrets } from "./library/secrets.ts";
export type { RewrapOptions, Rewrapped } from "./secrets/data-keys.ts";
export type { MasterKeyOptions } from "./secrets/master-keys.ts";
export type { Rotated } from "./secrets/secret-store.ts";
export type { SecretSummary } from "./store/secrets.ts";
export { Subscriptions, type SubscriptionTest } from "./library/subscriptions.ts";
export type { EventSink, OutgoingEvent, SinkOutcome } from "./outbox/event-sink.ts";
export type { OutboxDelivery, OutboxEntry, OutboxStats } from "./store/outbox-letters.ts";
export type { SubscriptionStatus } from "./store/subscriptions.ts";
export { EngineError } from "./library/engine-error.ts";
export type { EngineErrorCode } from "@cairnjs/schemas";
export type { ForkOptions } from "./library/forking.ts";
export type { RollbackOptions } from "cairnjs/client";
export type { RunChunk, RunStreamOptions } from "./library/run-stream.ts";
export type { RunInput } from "./library/run-inputs.ts";
export { declareRestored } from "./library/declare-restored.ts";
export {
  type Schedule,
  type Scheduled,
  Schedules,
  type SchedulesListFilter,
  type UpsertScheduleOptions,
} from "./library/schedules.ts";
export type { ScheduleOptions } from "./scheduler/schedule-options.ts";
export { RunHandle, type RunState, type RunStatus, type RunStep } from "./library/run-handle.ts";
export { type FrameView, Shown } from "@cairnjs/vm";
export type { RunsFilter } from "./library/runs-filter.ts";
export type { StartRunOptions } from "./library/start-options.ts";
export type { ChangedIncarnation } from "./store/incarnation.ts";
export type { ServerTls } from "./grpc/server-certificates.ts";
export type { AccessToken } from "./access/access.ts";
export { isLoopback } from "./loopback.ts";
export type { ControlPlaneOptions } from "./process/control-plane-options.ts";
export { CannotListen } from "./process/cannot-listen.ts";
export { MigrationRefused } from "./store/migrate.ts";
export type { RunFeed, RunNews } from "./process/run-feed.ts";
export { ControlPlane, openControlPlane } from "./process/open-control-plane.ts";
