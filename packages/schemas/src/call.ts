import { z } from "zod";
import { BATCH_MAX, REASON_LENGTH_MAX } from "./limits.ts";
import { Attempt, DurationMs, Priority, TimeMs, wholeNumber } from "./number.ts";
import { GivenSecret, SECRETS_MAX } from "./secret.ts";
import { Name, RunId, storableText, Traceparent, Uuid } from "./text.ts";
import { ChunkJson, Value } from "./value.ts";

/** How an action is tried. */
export const RetryPolicy = z.strictObject({
  attempts: Attempt,
  baseMs: DurationMs,
  capMs: DurationMs,
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;

/** One try of a call. */
export const CallRef = z.strictObject({
  runId: RunId,
  /** Unique in its run. */
  call: Name,
  attempt: Attempt,
  /** Of the database that has the run: after a restore, the same numbers may be those of another call. */
  incarnation: Uuid,
});
export type CallRef = z.infer<typeof CallRef>;

/** A call for whoever runs actions. The namespace is that of the worker: it was said in its hello. */
export const Dispatch = CallRef.extend({
  action: Name,
  /** Array of arguments. */
  args: Value,
  /** What `.with()` gave the call. */
  options: Value.nullable(),
  priority: Priority,
  /** Type of the run: the steps of a workflow are found by it. */
  type: Name,
  version: Name,
  /** Of the run. */
  deadlineMs: TimeMs.nullable(),
  /** The same in all attempts. */
  idempotencyKey: storableText(1, 1_000),
  /** What an earlier attempt told last. */
  heartbeatDetails: Value.nullable(),
  /** The span of the run, if someone traces it. */
  traceparent: Traceparent.nullable(),
  /** Those that the action needs, for this call alone. */
  secrets: z.exactOptional(z.array(GivenSecret).min(1).max(SECRETS_MAX)),
});
export type Dispatch = z.infer<typeof Dispatch>;

/** How one try of a call has ended. Who ran it is known by the stream that this came on. */
export const Outcome = CallRef.extend({
  kind: z.enum(["result", "error"]),
  /** Result, or the value thrown. */
  value: Value,
  /** Of an error: how the action is tried; null if trying again would not help. */
  retry: RetryPolicy.nullable(),
  /** By the clock of whoever ran it; how long it took is what counts. */
  durationMs: wholeNumber(0, Number.MAX_SAFE_INTEGER),
}).refine(({ kind, retry }) => kind === "error" || retry === null, {
  path: ["retry"],
  error: "must be null beside a result",
});
export type Outcome = z.infer<typeof Outcome>;

/** A call is still running. */
export const Heartbeat = CallRef.extend({
  /** For the next attempt, should this one be lost. */
  details: Value.nullable(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/** Counts the chunks of a try, from 1. */
const ChunkNumber = wholeNumber(1, 2 ** 31 - 1);

/** A piece of what a try does, for whoever watches its run. */
export const Chunk = CallRef.extend({ number: ChunkNumber, json: ChunkJson });
export type Chunk = z.infer<typeof Chunk>;

/** Chunks of a try up to this number can be seen by those who watch. */
export const ChunksTaken = CallRef.extend({ number: ChunkNumber });
export type ChunksTaken = z.infer<typeof ChunksTaken>;

/** Nobody waits for this try any more: whoever runs it stops, whoever holds its outcome drops it. */
export const Cancel = CallRef.extend({
  /** For people. */
  reason: storableText(0, REASON_LENGTH_MAX),
});
export type Cancel = z.infer<typeof Cancel>;

/** What a worker has: calls that run, and those whose outcome it holds. */
export const InFlight = z.strictObject({
  calls: z.array(CallRef).max(BATCH_MAX),
  /** The rest of the list comes with the next frame. */
  more: z.boolean(),
});
export type InFlight = z.infer<typeof InFlight>;

/** How many calls a worker may be sent. */
export const Credits = z.strictObject({
  /** Dispatches that had arrived on this stream when this was said. */
  received: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  /** May be sent beyond these. */
  free: wholeNumber(0, 2 ** 32 - 1),
});
export type Credits = z.infer<typeof Credits>;

/** What waits at a control plane for actions of a worker. */
export const Backlog = z.strictObject({
  calls: wholeNumber(0, 2 ** 32 - 1),
});
export type Backlog = z.infer<typeof Backlog>;
