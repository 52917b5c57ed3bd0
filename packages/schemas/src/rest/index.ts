export { CreatedKey, CreateKeyBody, KeyPath, KeySummary, ListKeys, LoginBody, Me, ShowKey } from "./access.ts";
export { LetterFilter } from "../outbox.ts";
export {
  AUDIT_WINDOWS,
  AuditEntry,
  AuditSummary,
  type AuditWindow,
  ListAudit,
  ListTimeline,
  SummarizeAudit,
  TimelineEntry,
} from "./audit.ts";
export { EXPORT_FORMAT, ExportedRun, ExportedSnapshot } from "./export.ts";
export { BULK_ACTIONS, BULK_MAX, type BulkAction, BulkRunsAnswer, BulkRunsBody, COUNTED_MAX } from "./bulk.ts";
export { Health, Live, Ready } from "./health.ts";
export {
  DROPPED_REASONS,
  type DroppedReason,
  FollowEvents,
  FollowRun,
  LiveChunk,
  LiveDropped,
  LiveEnd,
  LiveEvent,
  LiveStep,
  ResumedByHeader,
  type SocketAnswer,
  SocketRequest,
} from "./live.ts";
export { ChangedLetters, ListOutbox, OutboxCounts, OutboxDetails, OutboxPath, OutboxSummary } from "./outbox.ts";
export { WithIdempotencyKey } from "./idempotency.ts";
export { LIMIT_KEYS_MAX, LimitSummary, ListLimits } from "./limits.ts";
export { InNamespace, InPages, type Page, PAGE_MAX, pageOf, queryNumber, sortedBy } from "./page.ts";
export { Problem } from "./problem.ts";
export { parseKeep } from "../retention.ts";
export { ListRetention, RetentionPath, RetentionPreviewed, RetentionSummary, SetRetentionBody } from "./retention.ts";
export {
  ListSecrets,
  RewrappedSecrets,
  RewrapSecretsBody,
  RotatedSecrets,
  SecretPath,
  SecretSummary,
  SetSecretBody,
} from "./secret.ts";
export {
  AcceptedForRun,
  AwaitRun,
  BATCH_MAX,
  CancelRunBody,
  DeleteRunQuery,
  EmptyBody,
  type EndedRun,
  EndedRuns,
  EventOfRun,
  ForkedRun,
  ForkRunBody,
  InputOfRun,
  ListAttempts,
  ListEvents,
  ListHistory,
  ListRuns,
  ListSteps,
  RollBackRunBody,
  RunDetails,
  RunOutcome,
  RunPath,
  RunSummary,
  RunWithoutValues,
  SignalRunBody,
  RUNS_SORT,
  ShowRun,
  ShowState,
  StartedRunBody,
  StartedRunsBody,
  StartRunBody,
  StartRunsBody,
  StateOfRun,
  StepAttempt,
  StepOfRun,
  WAIT_MS_MAX,
  WaitForRunsBody,
} from "./run.ts";
export { RunFilterBody, RunFilterQuery } from "./run-filter.ts";
export { RUN_PHASES, type RunPhase } from "./run-phase.ts";
export {
  Backfilled,
  BackfillScheduleBody,
  ListSchedules,
  PauseScheduleBody,
  ScheduleDetails,
  SchedulePath,
  ScheduleSummary,
  ShowSchedule,
  TriggeredRun,
  TriggerScheduleBody,
  UpsertScheduleBody,
} from "./schedule.ts";
export {
  ListSubscriptions,
  PauseSubscriptionBody,
  SubscriptionPath,
  SubscriptionSummary,
  TestedSubscription,
  UpsertSubscriptionBody,
} from "./subscription.ts";
export { AnsweredTime, TimeText } from "./time.ts";
export {
  NewWaitTokenBody,
  PostedValue,
  RotatedSigningKey,
  RotateSigningKeyBody,
  UsedWaitToken,
  TOKEN_MS_MAX,
  WaitToken,
  WaitTokenDetails,
  WaitTokenPath,
} from "./wait-token.ts";
export { whatIsWanted } from "./wanted.ts";
export { ListWorkers, WorkerSummary } from "./worker.ts";
export {
  ListVersions,
  ListWorkflows,
  Promoted,
  PromoteBody,
  ShowSource,
  VersionDetails,
  VersionGraph,
  VersionListing,
  VersionPath,
  VersionSource,
  VersionSummary,
  WorkflowDetails,
  WorkflowPath,
  WorkflowSummary,
} from "./workflow.ts";
