import { encodeNative } from "@cairnjs/ir";
import type { ScheduleSummary, UpsertScheduleBody } from "@cairnjs/schemas/rest";
import type { ScheduleOptions } from "../scheduler/schedule-options.ts";
import type { ScheduleRow } from "../store/schedules.ts";
import { StoredJson } from "../stored-json.ts";
import { textOfJson, timeOf, timeOrNull } from "./json-values.ts";

/** What is said of a schedule, as `ScheduleBook.upsert` takes it. */
export function optionsOfUpsert(said: UpsertScheduleBody): ScheduleOptions & { payload: string; checked: boolean } {
  const { payload, everyMs, anchor, jitterMs, deadlineMs, reactivate: _, ...same } = said;
  return {
    ...same,
    payload: payload === undefined ? encodeNative(undefined) : textOfJson("payload", payload),
    checked: false,
    ...(everyMs === undefined ? {} : { every: everyMs }),
    ...(anchor === undefined ? {} : { anchor: new Date(anchor) }),
    ...(jitterMs === undefined ? {} : { jitter: jitterMs }),
    ...(deadlineMs === undefined ? {} : { deadline: deadlineMs }),
  };
}

export function summaryOfSchedule(row: ScheduleRow): ScheduleSummary {
  const { id: _, revision: __, namespace: ___, ...same } = row;
  return {
    ...same,
    payload: new StoredJson(row.payload),
    tags: [...row.tags],
    anchor: timeOrNull(row.anchor),
    nextRunAt: timeOrNull(row.nextRunAt),
    lastRunAt: timeOrNull(row.lastRunAt),
    lastDueAt: timeOrNull(row.lastDueAt),
    lastSkippedAt: timeOrNull(row.lastSkippedAt),
    lastErrorAt: timeOrNull(row.lastErrorAt),
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  };
}
