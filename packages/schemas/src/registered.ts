import { z } from "zod";
import { RetryPolicy } from "./call.ts";
import { DURATION_MS_MAX, LIMIT_MAX, SOURCE_FILES_MAX, TAG_LENGTH_MAX, TAGS_MAX } from "./limits.ts";
import { MaxAttempts, wholeNumber } from "./number.ts";
import { SecretName, SECRETS_MAX } from "./secret.ts";
import { Digest, Name, storableText } from "./text.ts";
import { InlineJson, LongText, Value } from "./value.ts";

export const Tags = z.array(storableText(1, TAG_LENGTH_MAX)).max(TAGS_MAX, `must have at most ${TAGS_MAX} texts`);

export const HeartbeatTimeoutMs = wholeNumber(1, DURATION_MS_MAX);

/** Where in the arguments a key is: `0.tenant`, or a compiled function of them. */
export const LimitKey = z.union([
  z.strictObject({ path: Name.regex(/^\d+(\.[^.]+)*$/, "must be the number of an argument, then names: 0.tenant") }),
  z.strictObject({ program: InlineJson }),
]);
export type LimitKey = z.infer<typeof LimitKey>;

const Limit = wholeNumber(1, LIMIT_MAX);

/** How many calls are open at one time; of each key. */
export const ConcurrencyLimit = z.strictObject({ limit: Limit, key: LimitKey.nullable() });
export type ConcurrencyLimit = z.infer<typeof ConcurrencyLimit>;

/** How many calls begin within a length of time; of each key. */
export const RateLimit = z.strictObject({
  limit: Limit,
  perMs: wholeNumber(1, DURATION_MS_MAX),
  key: LimitKey.nullable(),
});
export type RateLimit = z.infer<typeof RateLimit>;

/** An action that a worker can run. */
export const RegisteredAction = z.strictObject({
  name: Name,
  /** JSON Schema of the array of arguments. */
  inputSchema: InlineJson.nullable(),
  retry: RetryPolicy.nullable(),
  /** A try that is silent for so long is lost. */
  heartbeatTimeoutMs: HeartbeatTimeoutMs.nullable(),
  isolate: z.enum(["none", "thread"]),
  /** Without it, any number. */
  concurrency: z.exactOptional(ConcurrencyLimit),
  rate: z.exactOptional(RateLimit),
  /** Names of secrets that its calls are to be given. */
  secrets: z.exactOptional(z.array(SecretName).min(1).max(SECRETS_MAX)),
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
