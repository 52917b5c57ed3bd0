export {
  Backlog,
  CallRef,
  Cancel,
  Chunk,
  ChunksTaken,
  Credits,
  Dispatch,
  Heartbeat,
  InFlight,
  Outcome,
  RetryPolicy,
} from "./call.ts";
export {
  ENGINE_ERROR_CODES,
  type EngineErrorCode,
  ERROR_CODES,
  type ErrorCode,
  PROTOCOL_ERROR_CODES,
} from "./error-codes.ts";
export * from "./limits.ts";
export { Attempt, DurationMs, MaxAttempts, Priority, TimeMs, wholeNumber } from "./number.ts";
export {
  EventPattern,
  FileTarget,
  LetterFilter,
  NatsTarget,
  NewSubscription,
  OUTBOX_STATES,
  OutboxFilter,
  PortTarget,
  SecretReference,
  SubscriptionTarget,
  WebhookTarget,
} from "./outbox.ts";
export { includesScope, type Scope, SCOPES } from "./scope.ts";
export { Keep, keepText, NewRetentionRule, parseKeep, RETAINED, type Retained, RetentionKey } from "./retention.ts";
export {
  ConcurrencyLimit,
  HeartbeatTimeoutMs,
  LimitKey,
  RateLimit,
  RegisteredAction,
  RegisteredWorkflow,
  SourceFile,
  Tags,
} from "./registered.ts";
export { CancelRun, PositiveMs, RequestError, RunEnd, SignalRun, StartedRun, StartRun, WaitError } from "./run.ts";
export { ALERT_TYPES, RUN_EVENTS, type RunEventKind, toldType } from "./run-events.ts";
export { GivenSecret, SECRET_BYTES_MAX, SecretName, SECRETS_MAX, SecretValue } from "./secret.ts";
export {
  Digest,
  isStorableText,
  Name,
  Namespace,
  PathName,
  RunId,
  ShownName,
  storableText,
  Traceparent,
  Uuid,
} from "./text.ts";
export { RUN_STATUSES, RUN_TRANSITIONS, type RunStatusName, type RunTransition } from "./transitions.ts";
export { BlobRef, ChunkJson, fitsInBytes, InlineJson, InlineText, LongText, Value } from "./value.ts";
export {
  AnnouncedWorkflow,
  ControlPlaneAddress,
  ControlPlaneAddresses,
  Hello,
  ProtocolVersion,
  Welcome,
} from "./worker.ts";
export { lengthOfTime } from "./length-of-time.ts";
