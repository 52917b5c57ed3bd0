import { z } from "zod";
import { RetryPolicy } from "./call.ts";
import { DURATION_MS_MAX, SOURCE_FILES_MAX, TAG_LENGTH_MAX, TAGS_MAX } from "./limits.ts";
import { DurationMs, MaxAttempts, wholeNumber } from "./number.ts";
import { Digest, Name, storableText } from "./text.ts";
import { InlineJson, LongText, Value } from "./value.ts";

export const Tags = z.array(storableText(1, TAG_LENGTH_MAX)).max(TAGS_MAX, `must have at most ${TAGS_MAX} texts`);

export const HeartbeatTimeoutMs = wholeNumber(1, DURATION_MS_MAX);

/** An action that a worker can run. */
export const RegisteredAction = z.strictObject({
  name: Name,
  /** JSON Schema of the array of arguments. */
  inputSchema: InlineJson.nullable(),
  /** JSON Schema of the result. */
  outputSchema: InlineJson.nullable(),
  retry: RetryPolicy.nullable(),
  timeoutMs: DurationMs.nullable(),
  /** A try that is silent for so long is lost. */
  heartbeatTimeoutMs: HeartbeatTimeoutMs.nullable(),
  isolate: z.enum(["none", "thread"]),
});
export type RegisteredAction = z.infer<typeof RegisteredAction>;

export const SourceFile = z.strictObject({
  /** Path in its project. */
  name: Name,
  content: LongText,
});
export type SourceFile = z.infer<typeof SourceFile>;

/** A version of a workflow. */
export const RegisteredWorkflow = z.strictObject({
  name: Name,
  version: Name,
  programHash: Digest,
  /** JSON, as the compiler makes it. */
  program: Value,
  /** JSON Schema of the input, in the tagged encoding; null if nothing is known of it. */
  inputSchema: Value.nullable(),
  /** Of its runs that do not say. */
  maxAttempts: MaxAttempts,
  tags: Tags,
  /** Files that the program was compiled from. */
  sources: z.array(SourceFile).max(SOURCE_FILES_MAX),
});
export type RegisteredWorkflow = z.infer<typeof RegisteredWorkflow>;
