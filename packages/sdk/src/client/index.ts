export { codec, type CodecFunctions } from "../codec.ts";
export {
  ActionCancelled,
  ActionTimeout,
  InvalidInput,
  InvalidOutput,
  NoHandlerRegistered,
  NotStorable,
  RunCancelled,
  SignalTimeout,
  StepChanged,
} from "../errors.ts";
export { type PayloadCodec, type Sealed, sealed, SealedUnread } from "../sealed.ts";
export { CairnError, type CairnErrorCode } from "./cairn-error.ts";
export {
  CairnClient,
  createClient,
  type EventsFilter,
  type RequestOptions,
  type RunsFilter,
  type StartOf,
} from "./client.ts";
export type { ClientOptions } from "./client-options.ts";
export type { FollowOptions } from "./follow.ts";
export type { LiveEvent, RunChunk } from "./live.ts";
export type { RetryPolicy } from "./patience.ts";
export type {
  ForkOptions,
  ResultOptions,
  RollbackOptions,
  SignalOptions,
  WaitToken,
  WaitTokenOptions,
} from "./run-handle.ts";
export { RunHandle } from "./run-handle.ts";
export type { RunAttempt, RunInput, RunState, RunStatus, RunStep, RunView } from "./run-views.ts";
export type { StartRunOptions } from "./start.ts";
export { type StartInDoubt, type StartOutcome, StartsInterrupted, StartsRefused } from "./start-many.ts";
export type { Query } from "./transport.ts";
