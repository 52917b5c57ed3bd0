import { z } from "zod";
import { EventPattern } from "../outbox.ts";
import { Name, RunId } from "../text.ts";
import { InNamespace, InPages, oneOrSeveral, sortedBy } from "./page.ts";
import { AnsweredTime, TimeText } from "./time.ts";

/** Something that someone did, or was refused. */
export const AuditEntry = z.strictObject({
  id: z.int(),
  at: AnsweredTime,
  who: z.string(),
  /** The id of the key that it was done with, if it was one. */
  keyId: z.string().nullable(),
  /** Such as `run.cancel`. */
  action: z.string(),
  /** What it was done to, if that has a name. */
  subject: z.string().nullable(),
  runId: z.string().nullable(),
  /** What was said with it, without values of runs and secrets. */
  detail: z.record(z.string(), z.unknown()),
  /** How it was answered, by the numbers of HTTP. */
  status: z.int(),
  /** `direct`: on the database, by the command line. */
  via: z.enum(["rest", "grpc", "direct"]),
  address: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Which entries are listed: the newest first, or the oldest. */
export const ListAudit = z.strictObject({
  ...InPages.shape,
  who: z.exactOptional(Name),
  /** An action, or a beginning such as `run.*`. */
  action: z.exactOptional(EventPattern),
  runId: z.exactOptional(RunId),
  since: z.exactOptional(TimeText),
  until: z.exactOptional(TimeText),
  sort: sortedBy(["at"], "-at"),
});

export const AUDIT_WINDOWS = ["1h", "6h", "24h", "7d"] as const;
export type AuditWindow = (typeof AUDIT_WINDOWS)[number];

export const SummarizeAudit = z.strictObject({ ...InNamespace.shape, window: z.enum(AUDIT_WINDOWS).default("24h") });

/** What was done lately. */
export const AuditSummary = z.strictObject({
  window: z.enum(AUDIT_WINDOWS),
  since: AnsweredTime,
  until: AnsweredTime,
  total: z.int(),
  refused: z.int(),
  /** Those that were most, at most 100. */
  actions: z.array(z.strictObject({ action: z.string(), done: z.int(), refused: z.int() })),
  callers: z.array(z.strictObject({ who: z.string(), done: z.int(), refused: z.int(), lastAt: AnsweredTime })),
  /** Equal parts of the window, the oldest first. */
  buckets: z.array(z.strictObject({ from: AnsweredTime, done: z.int(), refused: z.int() })),
});
export type AuditSummary = z.infer<typeof AuditSummary>;

const TIMELINE_KINDS = ["event", "input", "attempt", "audit"] as const;

/** What of the way of a run is told, and which way. */
export const ListTimeline = z.strictObject({
  ...InPages.shape,
  kind: z.exactOptional(oneOrSeveral(TIMELINE_KINDS)),
  sort: sortedBy(["at"], "at"),
});

/** Something on the way of a run: of its events, its inputs, the tries of its calls, and what was done to it. */
export const TimelineEntry = z.strictObject({
  at: AnsweredTime,
  kind: z.enum(TIMELINE_KINDS),
  /** In a few words. */
  title: z.string(),
  /** As the list that it is of has it. */
  entry: z.record(z.string(), z.unknown()),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;
