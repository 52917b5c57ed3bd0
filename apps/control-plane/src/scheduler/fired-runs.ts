import { createHash } from "node:crypto";
import { newRunId } from "../ids.ts";
import type { StartRequest } from "../library/starter.ts";
import type { FiredRun } from "../store/fire-schedules.ts";
import type { ScheduleRow } from "../store/schedules.ts";
import type { NewRun } from "../store/start-runs.ts";
import type { Timing } from "./timetable.ts";

/** Says what a start is, if it is one: throws an EngineError otherwise. */
export type Prepare = (request: StartRequest) => Promise<NewRun>;

export function timingOf({
  cron,
  timeZone,
  everyMs,
  anchor,
}: Pick<ScheduleRow, "cron" | "timeZone" | "everyMs" | "anchor">): Timing {
  return cron === null ? { everyMs: everyMs!, anchorMs: anchor! } : { cron, timeZone: timeZone! };
}

/** What a run of the schedule is, if it can be started now: the current version, and an input that it takes. */
export function prepareRun(prepare: Prepare, schedule: ScheduleRow): Promise<NewRun> {
  const { namespace, type, payload, priority, maxAttempts, tags, deadLetterType } = schedule;
  const options = {
    priority,
    tags,
    ...(maxAttempts === null ? {} : { maxAttempts }),
    ...(deadLetterType === null ? {} : { deadLetterType }),
  };
  return prepare({ namespace, type, payload, checked: false, options });
}

/** One for a due time, or for none: then it begins at once. */
export function firedRun(prepared: NewRun, schedule: ScheduleRow, dueAt: number | null, now: number): FiredRun {
  const { id, deadlineMs } = schedule;
  const runAt = dueAt === null ? null : dueAt + jitterOf(schedule, dueAt);
  return {
    ...prepared,
    id: newRunId(now),
    runAt,
    deadline: deadlineMs === null ? null : Math.max(runAt ?? now, now) + deadlineMs,
    scheduleId: id,
    scheduledFor: dueAt,
  };
}

/** A function of schedule and due time: whoever computes it gets the same. */
function jitterOf({ id, jitterMs }: Pick<ScheduleRow, "id" | "jitterMs">, dueAt: number): number {
  if (jitterMs === 0) return 0;
  const drawn = createHash("sha256").update(`${id}/${dueAt}`).digest().readUIntBE(0, 6);
  return Math.floor((drawn / 2 ** 48) * jitterMs);
}
