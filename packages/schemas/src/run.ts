import { z } from "zod";
import { DURATION_MS_MAX, REASON_LENGTH_MAX } from "./limits.ts";
import { MaxAttempts, Priority, TimeMs, wholeNumber } from "./number.ts";
import { Tags } from "./registered.ts";
import { Name, RunId, storableText, Traceparent, Uuid } from "./text.ts";
import { InlineJson, Value } from "./value.ts";

/** In which something happens: none at all is none. */
export const PositiveMs = wholeNumber(1, DURATION_MS_MAX);

/**
 * A run to be started. What depends on the time, or on what is registered (whether the deadline has passed, the id is of
 * about now, the input fits), is for the engine to say.
 */
export const StartRun = z.strictObject({
  /** Made by whoever starts it: a start of which nobody knows whether it worked can be repeated with it. */
  id: z.exactOptional(RunId),
  type: Name,
  /** Without it, the current one. */
  version: z.exactOptional(Name),
  payload: Value,
  /** Not before this time. */
  runAtMs: z.exactOptional(TimeMs),
  priority: z.exactOptional(Priority),
  /** A second start with this key is the first one. */
  idempotencyKey: z.exactOptional(Name),
  maxAttempts: z.exactOptional(MaxAttempts),
  tags: Tags,
  /** A run that has not ended then is cancelled, and fails with `DeadlineExceeded`. */
  deadlineMs: z.exactOptional(TimeMs),
  /** A run of this type is started with the input and the error if this one fails. */
  deadLetterType: z.exactOptional(Name),
  /** Starts with the same key, while the run has not begun, give it their input and move its time. */
  debounce: z.exactOptional(z.strictObject({ key: Name, delayMs: PositiveMs, maxMs: z.exactOptional(PositiveMs) })),
  /** A second start with the same key within the time is the first one, whatever its input. */
  deduplicate: z.exactOptional(z.strictObject({ key: Name, forMs: PositiveMs })),
  /** A run that has not begun then never begins: it is cancelled. */
  ttlMs: z.exactOptional(PositiveMs),
  /** The span of whoever starts it: its own is a child of that one. */
  traceparent: z.exactOptional(Traceparent),
});
export type StartRun = z.infer<typeof StartRun>;

/**
 * What is wrong with a request. The code is one of `ERROR_CODES`, or one that a later control plane knows: whoever reads it
 * shows it.
 */
export const RequestError = z.strictObject({
  code: Name,
  message: storableText(0, 100_000),
});
export type RequestError = z.infer<typeof RequestError>;

/** What became of one start of a batch. */
export const StartedRun = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("started"), id: RunId }),
  /** The same start was made before: by its id, or by its idempotency key. */
  z.strictObject({ kind: z.literal("existed"), id: RunId }),
  z.strictObject({ kind: z.literal("error"), error: RequestError }),
]);
export type StartedRun = z.infer<typeof StartedRun>;

/** How a run has ended. */
export const RunEnd = z.strictObject({
  runId: RunId,
  status: z.enum(["succeeded", "failed", "cancelled", "deleted"]),
  /** Result or error. */
  value: Value,
  /** Lines of where in the source an error came from, as JSON. */
  trace: InlineJson.nullable(),
});
export type RunEnd = z.infer<typeof RunEnd>;

/** A signal to a run. */
export const SignalRun = z.strictObject({
  runId: RunId,
  name: Name,
  value: Value,
  /** The same in a request that is repeated. */
  key: Uuid,
});
export type SignalRun = z.infer<typeof SignalRun>;

export const CancelRun = z.strictObject({
  runId: RunId,
  /** For people. */
  reason: storableText(0, REASON_LENGTH_MAX),
});
export type CancelRun = z.infer<typeof CancelRun>;

/** A run that nobody can wait for. */
export const WaitError = z.strictObject({
  runId: RunId,
  error: RequestError,
});
export type WaitError = z.infer<typeof WaitError>;
