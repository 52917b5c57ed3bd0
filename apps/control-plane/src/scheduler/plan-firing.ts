import type { CatchUp } from "../store/schedules.ts";
import { lastTime, type Times } from "./timetable.ts";

/** Nobody starts anything in no time: what is found due so soon after its time was not missed. */
const ON_TIME_MS = 10_000;

/** Of those that nobody will start, so many are counted. */
const COUNTED_MAX = 1_000;

/** What is to be done about a schedule that is due. */
export interface FiringPlan {
  /** In order. */
  readonly dueTimes: readonly number[];
  /** How many others nobody will start; of more than there may be at once, those that were counted. */
  readonly missed: number;
  /** When to look at it next: in the past if there was more than may be done at once. Null: never. */
  readonly nextAt: number | null;
}

/** `dueAt` is the first time that nobody has looked at, and is not after `now`. At most `max` are started. */
export function planFiring(times: Times, catchUp: CatchUp, dueAt: number, now: number, max: number): FiringPlan {
  const most = catchUp === "all" ? max : COUNTED_MAX;
  const due = [dueAt];
  let next = times.next(dueAt);
  while (next !== null && next <= now && due.length < most) {
    due.push(next);
    next = times.next(next);
  }
  if (catchUp === "all") return { dueTimes: due, missed: 0, nextAt: next };
  const last = next !== null && next <= now ? lastTime(times, next, now) : due.at(-1)!;
  const isFired = catchUp === "last" || now - last <= ON_TIME_MS;
  // The last one may be among those that were not counted.
  const others = last === due.at(-1) ? due.length - 1 : due.length;
  return { dueTimes: isFired ? [last] : [], missed: isFired ? others : others + 1, nextAt: times.next(last) };
}
