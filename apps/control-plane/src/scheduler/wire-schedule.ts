import type { ScheduleView, UpsertSchedule } from "@cairnjs/schemas";
import type { ScheduleRow } from "../store/schedules.ts";
import type { ScheduleOptions } from "./schedule-options.ts";

/** What an API says of a schedule, as `ScheduleBook.upsert` takes it. */
export function optionsOfUpsert(said: UpsertSchedule): ScheduleOptions & { payload: string; checked: boolean } {
  const { everyMs, anchorMs, jitterMs, deadlineMs, reactivate: _, ...same } = said;
  return {
    ...same,
    checked: false,
    ...(everyMs === undefined ? {} : { every: everyMs }),
    ...(anchorMs === undefined ? {} : { anchor: new Date(anchorMs) }),
    ...(jitterMs === undefined ? {} : { jitter: jitterMs }),
    ...(deadlineMs === undefined ? {} : { deadline: deadlineMs }),
  };
}

export function viewOfSchedule(row: ScheduleRow): ScheduleView {
  const { id: _, revision: __, namespace: ___, ...view } = row;
  const { anchor, nextRunAt, lastRunAt, lastDueAt, lastSkippedAt, lastErrorAt, createdAt, updatedAt, ...same } = view;
  return {
    ...same,
    tags: [...same.tags],
    anchorMs: anchor,
    nextRunAtMs: nextRunAt,
    lastRunAtMs: lastRunAt,
    lastDueAtMs: lastDueAt,
    lastSkippedAtMs: lastSkippedAt,
    lastErrorAtMs: lastErrorAt,
    createdAtMs: createdAt,
    updatedAtMs: updatedAt,
  };
}
