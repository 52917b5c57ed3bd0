import { z } from "zod";
import { OUTBOX_STATES, OutboxFilter } from "../outbox.ts";
import { InPages, sortedBy } from "./page.ts";
import { AnsweredTime } from "./time.ts";

const { state, type, runId, subscription } = OutboxFilter.shape;

/** Events of the outbox. */
export const ListOutbox = z.strictObject({
  ...InPages.shape,
  state,
  type,
  runId,
  subscription,
  sort: sortedBy(["createdAt"], "-createdAt"),
});

/** Of paths below `/v1/outbox`. What is no number is that of no event. */
export const OutboxPath = z.strictObject({ id: z.string() });

export const OutboxSummary = z.strictObject({
  id: z.int(),
  runId: z.string(),
  type: z.string(),
  state: z.enum(OUTBOX_STATES),
  createdAt: AnsweredTime,
  publishedAt: AnsweredTime.nullable(),
});
export type OutboxSummary = z.infer<typeof OutboxSummary>;

/** For whom an event waits. */
const Delivery = z.strictObject({
  subscription: z.string(),
  state: z.enum(["waiting", "dead"]),
  attempts: z.int(),
  nextAt: AnsweredTime.nullable(),
  lastError: z.string().nullable(),
  deadAt: AnsweredTime.nullable(),
});

export const OutboxDetails = z.strictObject({
  ...OutboxSummary.shape,
  /** As subscribers get it. */
  data: z.unknown(),
  deliveries: z.array(Delivery),
});
export type OutboxDetails = z.infer<typeof OutboxDetails>;

/** So many dead letters were offered again, or given up. */
export const ChangedLetters = z.strictObject({ count: z.int() });
export type ChangedLetters = z.infer<typeof ChangedLetters>;

/** How the outbox stands. */
export const OutboxCounts = z.strictObject({
  /** Events that were not offered yet, and since when the oldest waits. */
  pending: z.int(),
  oldestPendingAt: AnsweredTime.nullable(),
  /** Deliveries that wait, and those that are dead. */
  waiting: z.int(),
  dead: z.int(),
  /** Which process has how many of the shards of all namespaces. */
  dispatchers: z.array(z.strictObject({ address: z.string(), shards: z.int() })),
});
export type OutboxCounts = z.infer<typeof OutboxCounts>;
