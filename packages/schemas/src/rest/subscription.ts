import { z } from "zod";
import { REASON_LENGTH_MAX } from "../limits.ts";
import { NewSubscription } from "../outbox.ts";
import { Name, storableText } from "../text.ts";
import { InPages, sortedBy } from "./page.ts";
import { AnsweredTime } from "./time.ts";

export const SubscriptionPath = z.strictObject({ name: Name });
export type SubscriptionPath = z.infer<typeof SubscriptionPath>;

/** The name stands in the path. */
export const UpsertSubscriptionBody = NewSubscription.omit({ name: true });
export type UpsertSubscriptionBody = z.infer<typeof UpsertSubscriptionBody>;

export const ListSubscriptions = z.strictObject({
  ...InPages.shape,
  status: z.exactOptional(z.enum(["active", "paused"], "must be active or paused")),
  sort: sortedBy(["name", "createdAt", "changedAt"], "name"),
});

export const PauseSubscriptionBody = z
  .strictObject({ reason: z.exactOptional(storableText(1, REASON_LENGTH_MAX)) })
  .nullish();

/** A subscription, and how its subscriber does. */
export const SubscriptionSummary = z.strictObject({
  name: z.string(),
  types: z.array(z.string()),
  target: NewSubscription.shape.target,
  maxAttempts: z.int(),
  timeoutMs: z.int(),
  backoffMs: z.int(),
  backoffMaxMs: z.int(),
  status: z.enum(["active", "paused"]),
  pausedReason: z.string().nullable(),
  /** Since when nothing was taken; null while it is well. */
  failingSince: AnsweredTime.nullable(),
  lastError: z.string().nullable(),
  lastDeliveredAt: AnsweredTime.nullable(),
  delivered: z.int(),
  /** Attempts that failed. */
  refused: z.int(),
  /** Events that wait for it, and those that it will not get by itself. */
  waiting: z.int(),
  dead: z.int(),
  createdAt: AnsweredTime,
  changedAt: AnsweredTime,
});
export type SubscriptionSummary = z.infer<typeof SubscriptionSummary>;

/** What came of an event that was sent to see whether it arrives. */
export const TestedSubscription = z.strictObject({
  taken: z.boolean(),
  /** One line; null: it was taken. */
  error: z.string().nullable(),
  tookMs: z.int(),
});
export type TestedSubscription = z.infer<typeof TestedSubscription>;
