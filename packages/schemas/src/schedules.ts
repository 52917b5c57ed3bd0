import { z } from "zod";
import { REASON_LENGTH_MAX } from "./limits.ts";
import { DurationMs, MaxAttempts, Priority, TimeMs, wholeNumber } from "./number.ts";
import { Tags } from "./registered.ts";
import { PositiveMs } from "./run.ts";
import { Name, RunId, storableText } from "./text.ts";
import { InlineJson } from "./value.ts";

export const CatchUp = z.enum(["none", "last", "all"], "must be none, last or all");
export type CatchUp = z.infer<typeof CatchUp>;

/** Which schedule of a namespace. */
export const ScheduleKey = z.strictObject({ type: Name, name: Name });
export type ScheduleKey = z.infer<typeof ScheduleKey>;

/**
 * A schedule to be made, or to be made what is said here. Whether the expression, the zone and what belongs together can be right, is
 * for the engine to say.
 */
export const UpsertSchedule = z.strictObject({
  /** Either this, with a time zone or in UTC, or `everyMs`. */
  cron: z.exactOptional(Name),
  timeZone: z.exactOptional(Name),
  everyMs: z.exactOptional(PositiveMs),
  anchorMs: z.exactOptional(TimeMs),
  jitterMs: z.exactOptional(DurationMs),
  /** What all its runs get, in the tagged encoding. */
  payload: InlineJson,
  allowDuplicate: z.exactOptional(z.boolean("must be true or false")),
  catchUp: z.exactOptional(CatchUp),
  priority: z.exactOptional(Priority),
  maxAttempts: z.exactOptional(MaxAttempts),
  tags: z.exactOptional(Tags),
  /** After a run begins. */
  deadlineMs: z.exactOptional(PositiveMs),
  deadLetterType: z.exactOptional(Name),
  /** With false, one that is paused stays so. */
  reactivate: z.exactOptional(z.boolean("must be true or false")),
});
export type UpsertSchedule = z.infer<typeof UpsertSchedule>;

export const PauseSchedule = z.strictObject({ reason: z.exactOptional(storableText(0, REASON_LENGTH_MAX)) });
export type PauseSchedule = z.infer<typeof PauseSchedule>;

/** Without it, the schedule says whether a run starts beside one that lives. */
export const TriggerSchedule = z.strictObject({ allowDuplicate: z.exactOptional(z.boolean("must be true or false")) });
export type TriggerSchedule = z.infer<typeof TriggerSchedule>;

/** Both are included. */
export const BackfillSchedule = z.strictObject({ fromMs: TimeMs, toMs: TimeMs });
export type BackfillSchedule = z.infer<typeof BackfillSchedule>;

const Count = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** A schedule as it is. */
export const ScheduleView = z.strictObject({
  type: Name,
  name: Name,
  cron: z.nullable(Name),
  timeZone: z.nullable(Name),
  everyMs: z.nullable(PositiveMs),
  anchorMs: z.nullable(TimeMs),
  jitterMs: DurationMs,
  payload: InlineJson,
  allowDuplicate: z.boolean(),
  catchUp: CatchUp,
  priority: Priority,
  maxAttempts: z.nullable(MaxAttempts),
  tags: Tags,
  deadlineMs: z.nullable(PositiveMs),
  deadLetterType: z.nullable(Name),
  status: z.enum(["active", "paused"]),
  pauseReason: z.nullable(z.string()),
  /** Null: never again, or it is paused. */
  nextRunAtMs: z.nullable(TimeMs),
  lastRunAtMs: z.nullable(TimeMs),
  lastRunId: z.nullable(RunId),
  /** For which time the last run was; null if somebody wanted it at once. */
  lastDueAtMs: z.nullable(TimeMs),
  fired: Count,
  skipped: Count,
  lastSkippedAtMs: z.nullable(TimeMs),
  missed: Count,
  lastError: z.nullable(z.string()),
  lastErrorAtMs: z.nullable(TimeMs),
  createdAtMs: TimeMs,
  updatedAtMs: TimeMs,
});
export type ScheduleView = z.infer<typeof ScheduleView>;
