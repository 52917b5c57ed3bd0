import { z } from "zod";
import { Keep, RETAINED, RetentionKey } from "../retention.ts";
import { InPages, sortedBy } from "./page.ts";
import { AnsweredTime } from "./time.ts";

/** Of paths below `/v1/retention`: of what, and for which types. */
export const RetentionPath = RetentionKey;
export type RetentionPath = RetentionKey;

export const ListRetention = z.strictObject({
  ...InPages.shape,
  what: z.exactOptional(z.enum(RETAINED)),
  sort: sortedBy(["what", "type"], "what"),
});

export const SetRetentionBody = z.strictObject({ keep: Keep });
export type SetRetentionBody = z.infer<typeof SetRetentionBody>;

/** How long something is kept. */
export const RetentionSummary = z.strictObject({
  what: z.enum(RETAINED),
  type: z.string(),
  keep: z.string(),
  /** When it was set; null: it is a setting of the control plane, where no rule of the namespace is. */
  changedAt: AnsweredTime.nullable(),
});
export type RetentionSummary = z.infer<typeof RetentionSummary>;

/** What would be removed now. */
export const RetentionPreviewed = z.strictObject({
  types: z.array(z.strictObject({ type: z.string(), runs: z.int(), events: z.int() })),
  /** Events for others, by their types. */
  outbox: z.array(z.strictObject({ type: z.string(), events: z.int() })),
});
export type RetentionPreviewed = z.infer<typeof RetentionPreviewed>;
