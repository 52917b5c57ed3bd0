/** For whoever runs actions and starts workflows on behalf of the engine: workers and library mode. */
export { DEFAULT_RETRY, type JsonSchema, type RetryPolicy } from "@cairnjs/ir";
export { type ActionContext } from "../action-context.ts";
export { checkOptions } from "../check-options.ts";
export { requireCompiled } from "../compiled/require-compiled.ts";
export { decodeCopy, encodeCopy, type EncodedCopy, encodeThrown } from "../copy.ts";
export { declaredAction, declaredActions, declaredWorkflow, declaredWorkflows, refuseClash } from "../declared.ts";
export { ENGINE_ERRORS } from "../errors.ts";
export { argumentsSchemaOf } from "../input-schema/arguments-schema.ts";
export { type DeclaredLimits, declaredLimits } from "../limits.ts";
export type { Invocable } from "../invoke.ts";
export { checkJobInput } from "../job-input.ts";
export { consoleLog } from "../native-call.ts";
export { durationMs } from "../options.ts";
export { checkedSignal } from "../signal-value.ts";
export { setTrace } from "../trace.ts";
export { checkedEncoding, startSchemaOf } from "../workflow-input.ts";
export { LazyAbort } from "./lazy-abort.ts";
export { type Attempt, attempt, type AttemptOutcome } from "./attempt.ts";
