export type { JsonSchema } from "@cairnjs/ir";
export { action, type Action } from "./action.ts";
export { type ActionContext, type ActionLog, currentCall } from "./action-context.ts";
export { codec, type CodecFunctions, codecs } from "./codec.ts";
export { compensate } from "./compensate.ts";
export {
  definitionOf,
  type ActionDefinition,
  type CompiledDefinition,
  type Definition,
  type WorkflowDefinition,
} from "./definition.ts";
export { depends, type Dependency, type Needs, type Resolved } from "./dependency.ts";
export {
  ActionCancelled,
  ActionTimeout,
  ChunkRefused,
  InvalidInput,
  InvalidOutput,
  NoHandlerRegistered,
  NotCompiled,
  NotStorable,
  RunCancelled,
  SecretMissing,
  SecretNotSent,
  SignalTimeout,
  StepChanged,
} from "./errors.ts";
export { type Invocable, invoke } from "./invoke.ts";
export type { Issue } from "./issues.ts";
export { mapLimit } from "./map-limit.ts";
export { middleware, type Middleware, type MiddlewareCall, type Next } from "./middleware.ts";
export type {
  ActionOptions,
  AttemptOptions,
  CallOptions,
  Duration,
  Isolation,
  RetryOptions,
  StartOptions,
  WorkflowOptions,
} from "./options.ts";
export { emit, progress } from "./outbox.ts";
export { runInfo, type RunInfo } from "./run-context.ts";
export { type PayloadCodec, type Sealed, sealed, SealedUnread } from "./sealed.ts";
export { secret } from "./secret.ts";
export { signal, type Signal, type SignalValues, type WaitOptions, withSignals } from "./signal.ts";
export { checkedSignal } from "./signal-value.ts";
export { sleep } from "./sleep.ts";
export type { StandardSchema } from "./standard-schema.ts";
export { step } from "./step.ts";
export { workflow, type Workflow } from "./workflow.ts";
export { checkedInput, inputSchemaOf } from "./workflow-input.ts";
