/** For whoever runs actions and starts workflows on behalf of the engine: workers and library mode. */
export { type ActionContext } from "../action-context.ts";
export { checkOptions } from "../check-options.ts";
export { requireCompiled } from "../compiled/require-compiled.ts";
export { decodeCopy, encodeCopy, type EncodedCopy } from "../copy.ts";
export { declaredAction, declaredWorkflow, declaredWorkflows } from "../declared.ts";
export { ENGINE_ERRORS } from "../errors.ts";
export type { Invocable } from "../invoke.ts";
export { checkedSignal } from "../signal-value.ts";
export { setTrace } from "../trace.ts";
export { checkedEncoding } from "../workflow-input.ts";
export { LazyAbort } from "./lazy-abort.ts";
export { type Attempt, attempt, type AttemptOutcome } from "./attempt.ts";
