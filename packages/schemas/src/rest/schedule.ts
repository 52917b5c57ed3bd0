import { z } from "zod";
import { REASON_LENGTH_MAX } from "../limits.ts";
import { DurationMs, MaxAttempts, Priority, wholeNumber } from "../number.ts";
import { Tags } from "../registered.ts";
import { PositiveMs } from "../run.ts";
import { Name, storableText } from "../text.ts";
import { InNamespace, InPages, queryNumber, sortedBy } from "./page.ts";
import { AnsweredTime, TimeText } from "./time.ts";

const CatchUp = z.enum(["none", "last", "all"], "must be none, last or all");
const YesNo = z.boolean("must be true or false");
const ScheduleState = z.enum(["active", "paused"], "must be active or paused");

/** Which schedule of a namespace. */
export const SchedulePath = z.strictObject({ type: Name, name: Name });
export type SchedulePath = z.infer<typeof SchedulePath>;

/** In the order of types and their names. */
export const ListSchedules = z.strictObject({
  ...InPages.shape,
  type: z.exactOptional(Name),
  status: z.exactOptional(ScheduleState),
  sort: sortedBy(["name"], "name"),
});

const UPCOMING_MAX = 100;

export const ShowSchedule = z.strictObject({
  ...InNamespace.shape,
  /** So many of the next times are answered. */
  upcoming: queryNumber(0, UPCOMING_MAX, 5).default(5),
});

/**
 * A schedule to be made, or to be made what is said here. Whether the expression, the zone and what belongs together can be right, is
 * for the engine to say.
 */
export const UpsertScheduleBody = z.strictObject({
  /** Either this, with a time zone or in UTC, or `everyMs`. */
  cron: z.exactOptional(Name),
  timeZone: z.exactOptional(Name),
  everyMs: z.exactOptional(PositiveMs),
  anchor: z.exactOptional(TimeText),
  jitterMs: z.exactOptional(DurationMs),
  /** What all its runs get; without it, `undefined`. */
  payload: z.exactOptional(z.unknown()),
  allowDuplicate: z.exactOptional(YesNo),
  catchUp: z.exactOptional(CatchUp),
  priority: z.exactOptional(Priority),
  maxAttempts: z.exactOptional(MaxAttempts),
  tags: z.exactOptional(Tags),
  /** After a run begins. */
  deadlineMs: z.exactOptional(PositiveMs),
  deadLetterType: z.exactOptional(Name),
  /** With false, one that is paused stays so. */
  reactivate: z.exactOptional(YesNo),
});
export type UpsertScheduleBody = z.infer<typeof UpsertScheduleBody>;

export const PauseScheduleBody = z
  .strictObject({ reason: z.exactOptional(storableText(0, REASON_LENGTH_MAX)) })
  .nullish();

/** Without it, the schedule says whether a run starts beside one that lives. */
export const TriggerScheduleBody = z.strictObject({ allowDuplicate: z.exactOptional(YesNo) }).nullish();

export const TriggeredRun = z.strictObject({ id: z.string() });
export type TriggeredRun = z.infer<typeof TriggeredRun>;

/** Both are included; without `to`, up to now. */
export const BackfillScheduleBody = z.strictObject({ from: TimeText, to: z.exactOptional(TimeText) });

export const Backfilled = z.strictObject({ started: z.int() });
export type Backfilled = z.infer<typeof Backfilled>;

const Count = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** A schedule as it is. */
export const ScheduleSummary = z.strictObject({
  type: z.string(),
  name: z.string(),
  cron: z.string().nullable(),
  timeZone: z.string().nullable(),
  everyMs: PositiveMs.nullable(),
  anchor: AnsweredTime.nullable(),
  jitterMs: DurationMs,
  payload: z.unknown(),
  allowDuplicate: z.boolean(),
  catchUp: CatchUp,
  priority: Priority,
  maxAttempts: MaxAttempts.nullable(),
  tags: z.array(z.string()),
  deadlineMs: PositiveMs.nullable(),
  deadLetterType: z.string().nullable(),
  status: ScheduleState,
  pauseReason: z.string().nullable(),
  /** Null: never again, or it is paused. */
  nextRunAt: AnsweredTime.nullable(),
  lastRunAt: AnsweredTime.nullable(),
  lastRunId: z.string().nullable(),
  /** For which time the last run was; null if somebody wanted it at once. */
  lastDueAt: AnsweredTime.nullable(),
  fired: Count,
  skipped: Count,
  lastSkippedAt: AnsweredTime.nullable(),
  missed: Count,
  lastError: z.string().nullable(),
  lastErrorAt: AnsweredTime.nullable(),
  createdAt: AnsweredTime,
  updatedAt: AnsweredTime,
});
export type ScheduleSummary = z.infer<typeof ScheduleSummary>;

export const ScheduleDetails = z.strictObject({
  ...ScheduleSummary.shape,
  /** The next times, as if it were not paused. */
  upcoming: z.array(AnsweredTime),
});
export type ScheduleDetails = z.infer<typeof ScheduleDetails>;
