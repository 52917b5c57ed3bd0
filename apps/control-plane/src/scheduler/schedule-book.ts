import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { EngineError } from "../library/engine-error.ts";
import type { Channel } from "../runloop/outside.ts";
import { checkText, refuse } from "../library/start-options.ts";
import type { StartRequest } from "../library/starter.ts";
import { findRun } from "../store/find-runs.ts";
import type { Firing } from "../store/fire-schedules.ts";
import {
  deleteSchedule,
  findSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  saveSchedule,
  type ScheduleKey,
  type ScheduleRow,
  type SchedulesFilter,
} from "../store/schedules.ts";
import type { Queryable } from "../store/statement.ts";
import { fire } from "./fire.ts";
import { firedRun, type Prepare, prepareRun, timingOf } from "./fired-runs.ts";
import { checkedSettings, checkScheduleName, type ScheduleOptions } from "./schedule-options.ts";
import { nextTimes, Timetable } from "./timetable.ts";

/** How often something is tried again that others change at the same time. */
const TRIES_MAX = 50;
const TRY_AGAIN_MS = 20;
const REASON_LENGTH_MAX = 10_000;
/** Of one request; of one transaction. */
const BACKFILL_MAX = 10_000;
const BATCH_MAX = 1_000;

export interface ScheduleBookOptions {
  readonly client: Queryable;
  readonly prepare: Prepare;
  readonly tell: (channel: Channel) => void;
}

/** What to do about something that may have changed: null if it has, and is to be looked at again. */
type Change<T> = (schedule: ScheduleRow, now: number) => Promise<T | null>;

/**
 * What people do with schedules: the same for the library, the API and the command line. Each change is made under the lock of the
 * schedule's row, and to what was looked at before, or it is looked at again.
 */
export class ScheduleBook {
  readonly #options: ScheduleBookOptions;
  readonly #timetable = new Timetable();

  constructor(options: ScheduleBookOptions) {
    this.#options = options;
  }

  /**
   * Makes it, or makes it what is said. With the same times it stays due where it was, so that what was missed is caught up; with
   * others, and after a pause, the next time is counted from now. `payload` is what starts have, and `checked` too.
   */
  async upsert(
    key: ScheduleKey,
    said: ScheduleOptions & Pick<StartRequest, "payload" | "checked">,
    reactivate = true,
  ): Promise<ScheduleRow> {
    const { payload, checked, ...options } = said;
    const { client, prepare, tell } = this.#options;
    checkScheduleName(key.name);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { now, schedule } = await findSchedule(client, key);
      const wanted = checkedSettings(options, payload, now);
      if (tries === 0) await prepare({ namespace: key.namespace, type: key.type, payload, checked, options: {} });
      const isSame = schedule !== null && isSameTiming(schedule, wanted);
      const anchor = wanted.everyMs === null ? null : (wanted.anchor ?? (isSame ? schedule.anchor : now));
      const settings = { ...wanted, anchor };
      const staysPaused = schedule?.status === "paused" && !reactivate;
      const next = (): number | null =>
        isSame && schedule.status === "active"
          ? schedule.nextRunAt
          : this.#timetable.times(timingOf(settings)).next(now);
      const saved = await saveSchedule(
        client,
        key,
        { id: randomUUID(), revision: schedule?.revision ?? null },
        settings,
        staysPaused ? { status: "paused", nextRunAt: null } : { status: "active", nextRunAt: next() },
      );
      if (saved !== null) {
        tell("cairn_work");
        return saved;
      }
    }
    throw heldUp(key);
  }

  async show(key: ScheduleKey): Promise<ScheduleRow> {
    const { schedule } = await findSchedule(this.#options.client, key);
    return schedule ?? missing(key);
  }

  list(namespace: string, filter: SchedulesFilter): Promise<ScheduleRow[]> {
    return listSchedules(this.#options.client, namespace, filter);
  }

  /** The next times, as if it were not paused. */
  async upcoming(key: ScheduleKey, count: number): Promise<number[]> {
    const { now, schedule } = await findSchedule(this.#options.client, key);
    const from = schedule?.nextRunAt == null ? now : schedule.nextRunAt - 1;
    return nextTimes(timingOf(schedule ?? missing(key)), from, count, this.#timetable);
  }

  async pause(key: ScheduleKey, reason: string | null): Promise<ScheduleRow> {
    if (reason !== null) checkText("The reason", reason, 0, REASON_LENGTH_MAX);
    return (await pauseSchedule(this.#options.client, key, reason)) ?? missing(key);
  }

  /** What was due in the meantime was not missed: the next time is counted from now. */
  async resume(key: ScheduleKey): Promise<ScheduleRow> {
    const resumed = await this.#change(key, async (schedule, now) => {
      if (schedule.status === "active") return schedule;
      const next = this.#timetable.times(timingOf(schedule)).next(now);
      return resumeSchedule(this.#options.client, schedule, next);
    });
    this.#options.tell("cairn_work");
    return resumed;
  }

  /** A run now, whatever is due when; also of one that is paused. Its id. */
  async trigger(key: ScheduleKey, allowDuplicate: boolean | null, given: string | null = null): Promise<string> {
    let id: string | null = given;
    const started = await this.#change(key, async (schedule, now) => {
      // The run that was started for it lives, and lets no second one be.
      if (given !== null && (await findRun(this.#options.client, key.namespace, given)) !== undefined) return given;
      const run = firedRun(await prepareRun(this.#options.prepare, schedule), schedule, null, now);
      // Asked again after an answer was lost, it is the same run.
      id ??= run.id;
      const firing = { ...unmoved(schedule), allowDuplicate: allowDuplicate ?? schedule.allowDuplicate };
      const [fired] = await fire(this.#options.client, [firing], [{ ...run, id }]);
      if (fired === undefined) return null;
      if (fired.skipped > 0) {
        throw new EngineError(
          "ScheduleBusy",
          `A run of the schedule ${key.name} of ${key.type} lives, and it allows no second`,
        );
      }
      return id;
    });
    this.#options.tell("cairn_work");
    return started;
  }

  /**
   * Starts a run for each due time from one time to another, both included, that has none: also beside runs that live. Returns how
   * many. Asked again after it broke off, it goes on. With null, up to now.
   */
  async backfill(key: ScheduleKey, from: number, until: number | null): Promise<number> {
    const { now, schedule } = await findSchedule(this.#options.client, key);
    const to = until ?? now;
    if (from > to) refuse("A backfill is from an earlier time to a later one");
    if (to > now) refuse("A backfill is for the past: what is to come will be started in its time");
    const due = nextTimes(timingOf(schedule ?? missing(key)), from - 1, BACKFILL_MAX + 1, this.#timetable).filter(
      (at) => at <= to,
    );
    if (due.length > BACKFILL_MAX) {
      const last = new Date(due[BACKFILL_MAX - 1]!).toISOString();
      refuse(`A backfill is of at most ${BACKFILL_MAX} due times: the last one that fits is that of ${last}`);
    }
    let started = 0;
    for (let index = 0; index < due.length; index += BATCH_MAX) {
      started += await this.#startAll(key, due.slice(index, index + BATCH_MAX));
      this.#options.tell("cairn_work");
    }
    return started;
  }

  #startAll(key: ScheduleKey, due: readonly number[]): Promise<number> {
    return this.#change(key, async (schedule, now) => {
      const prepared = await prepareRun(this.#options.prepare, schedule);
      const runs = due.map((at) => firedRun(prepared, schedule, at, now));
      const firing = { ...unmoved(schedule), allowDuplicate: true };
      const [fired] = await fire(this.#options.client, [firing], runs);
      return fired?.runIds.length ?? null;
    });
  }

  async delete(key: ScheduleKey): Promise<void> {
    await this.show(key);
    await deleteSchedule(this.#options.client, key);
  }

  async #change<T>(key: ScheduleKey, change: Change<T>): Promise<T> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { now, schedule } = await findSchedule(this.#options.client, key);
      const changed = await change(schedule ?? missing(key), now);
      if (changed !== null) return changed;
      await delay(TRY_AGAIN_MS);
    }
    throw heldUp(key);
  }
}

/** Without an anchor, an interval keeps the one that it has. */
function isSameTiming(
  schedule: ScheduleRow,
  { cron, timeZone, everyMs, anchor }: Pick<ScheduleRow, "cron" | "timeZone" | "everyMs" | "anchor">,
): boolean {
  return (
    schedule.cron === cron &&
    schedule.timeZone === timeZone &&
    schedule.everyMs === everyMs &&
    (anchor === null || schedule.anchor === anchor)
  );
}

function unmoved({ id, revision }: ScheduleRow): Omit<Firing, "allowDuplicate"> {
  return { id, revision, advances: false, nextAt: null, missed: 0, error: null };
}

function missing({ type, name }: ScheduleKey): never {
  throw new EngineError("NotFound", `${type} has no schedule ${name}`);
}

function heldUp({ type, name }: ScheduleKey): EngineError {
  return new EngineError("HeldUp", `The schedule ${name} of ${type} is changed by others all the time`);
}
