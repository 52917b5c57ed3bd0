export { action, type Action } from "./action.ts";
export { compensate } from "./compensate.ts";
export { definitionOf, type ActionDefinition, type Definition, type WorkflowDefinition } from "./definition.ts";
export {
  ActionCancelled,
  ActionTimeout,
  NoHandlerRegistered,
  NotStorable,
  RunCancelled,
  SignalTimeout,
  StepChanged,
} from "./errors.ts";
export { mapLimit } from "./map-limit.ts";
export type { ActionOptions, CallOptions, Duration, RetryOptions, StartOptions, WorkflowOptions } from "./options.ts";
export { emit, progress } from "./outbox.ts";
export { runInfo, type RunInfo } from "./run-context.ts";
export { signal, type Schema, type Signal, type SignalValues, type WaitOptions, withSignals } from "./signal.ts";
export { sleep } from "./sleep.ts";
export { step } from "./step.ts";
export { workflow, type Workflow } from "./workflow.ts";
