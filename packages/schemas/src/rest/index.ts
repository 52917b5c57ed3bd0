export { EXPORT_FORMAT, ExportedRun, ExportedSnapshot } from "./export.ts";
export { Health } from "./health.ts";
export { ChangedLetters, ListOutbox, OutboxCounts, OutboxDetails, OutboxPath, OutboxSummary } from "./outbox.ts";
export { InNamespace, InPages, type Page, PAGE_MAX, pageOf, queryNumber } from "./page.ts";
export { Problem } from "./problem.ts";
export { parseKeep } from "../retention.ts";
export { RetentionPath, RetentionPreviewed, RetentionSummary, SetRetentionBody } from "./retention.ts";
export {
  AcceptedForRun,
  AwaitRun,
  CancelRunBody,
  DeleteRunQuery,
  EmptyBody,
  EventOfRun,
  ForkedRun,
  ForkRunBody,
  InputOfRun,
  ListRuns,
  RollBackRunBody,
  RUN_PHASES,
  RunDetails,
  RunOutcome,
  RunPath,
  type RunPhase,
  RunSummary,
  SignalRunBody,
  StartedRunBody,
  StartRunBody,
  StepAttempt,
  StepOfRun,
  WAIT_MS_MAX,
} from "./run.ts";
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
  PauseSubscriptionBody,
  SubscriptionPath,
  SubscriptionSummary,
  TestedSubscription,
  UpsertSubscriptionBody,
} from "./subscription.ts";
export { AnsweredTime, TimeText } from "./time.ts";
export { WorkerSummary } from "./worker.ts";
export { Promoted, PromoteBody, VersionSummary, WorkflowPath, WorkflowSummary } from "./workflow.ts";
