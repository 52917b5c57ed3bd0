import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { EngineError } from "../library/engine-error.ts";
import type { Duty } from "../library/duties.ts";
import type { Count } from "../library/engine-tally.ts";
import type { Channel } from "../runloop/outside.ts";
import { isConnectionLoss } from "../store/connection.ts";
import { isContention } from "../store/contention.ts";
import type { Fired, FiredRun, Firing } from "../store/fire-schedules.ts";
import { dueSchedules, nextSchedule, type ScheduleRow } from "../store/schedules.ts";
import type { Queryable } from "../store/statement.ts";
import { fire } from "./fire.ts";
import { firedRun, type Prepare, prepareRun, timingOf } from "./fired-runs.ts";
import { type FiringPlan, planFiring } from "./plan-firing.ts";
import { Timetable } from "./timetable.ts";
import type { Warn } from "../warn.ts";

/** In one transaction. */
const SCHEDULES_MAX = 100;
/** Between looks that somebody's news leads to. */
const SPACING_MS = 1_000;
/** However far the next one is: news may have been lost. */
const PAUSE_MS_MAX = 30_000;
/** Others are at work on what is due: it is looked at whether they were. */
const OTHERS_MS = 100;
/** Those whose times cannot be computed here are left to others so long, then looked at again. */
const UNREADABLE_MS = 60_000;

const ERROR_LENGTH_MAX = 1_000;

export interface SchedulerOptions {
  readonly client: Queryable;
  readonly prepare: Prepare;
  /** The database's time. */
  readonly now: () => number;
  readonly tell: (channel: Channel) => void;
  /** Runs that one transaction starts: those that are left go into the next. */
  readonly firingsMax: number;
  readonly count: Count;
  readonly warn: Warn;
}

/**
 * Starts what schedules say, of all namespaces. Several processes do so at once: whoever has the lock of a schedule, in the revision
 * that it has looked at, starts what is due and moves it on; for the others there is nothing left to do.
 *
 * Owns: when to look next. Does not own: schedules, which are rows; runs, which are started like all others.
 */
export class Scheduler implements Duty {
  readonly #options: SchedulerOptions;
  readonly #timetable = new Timetable();
  /** Left to others: this process does not know their zones. */
  readonly #unreadable = new Map<string, number>();
  #forgetAt = 0;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer rings, by a steady clock. */
  #rings = Infinity;
  #lookedAt = -Infinity;
  #looking: Promise<void> | null = null;
  #poked = false;
  /** Whether it was said that they cannot be looked at. */
  #warned = false;
  #closed = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  open(): void {
    this.#poke();
  }

  heard(channel: Channel): void {
    if (channel === "cairn_work") this.#poke();
  }

  /** Something may have changed. */
  #poke(): void {
    if (this.#looking !== null) this.#poked = true;
    else this.#ringIn(this.#lookedAt + SPACING_MS - performance.now());
  }

  drain(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#looking;
  }

  /** The earlier one counts. */
  #ringIn(ms: number): void {
    const rings = performance.now() + Math.max(0, ms);
    if (this.#closed || rings >= this.#rings) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#rings = rings;
    this.#timer = setTimeout(
      () => {
        // What has led to this look is nobody's business in the traces of what is due.
        this.#looking = context
          .with(ROOT_CONTEXT, () => this.#turn())
          .finally(() => {
            this.#looking = null;
            if (this.#poked) this.#poke();
          });
      },
      Math.max(0, ms),
    );
  }

  async #turn(): Promise<void> {
    this.#timer = null;
    this.#rings = Infinity;
    this.#poked = false;
    let pauseMs = SPACING_MS;
    try {
      const nextAt = await this.fireDue();
      this.#warned = false;
      this.#lookedAt = performance.now();
      pauseMs = nextAt === null ? PAUSE_MS_MAX : nextAt - this.#options.now();
      // Not done: others have it.
      if (pauseMs <= 0) pauseMs = OTHERS_MS;
    } catch (error) {
      if (!this.#closed && !this.#warned) this.#options.warn("Schedules cannot be looked at", error);
      this.#warned = true;
    }
    this.#ringIn(Math.min(pauseMs, PAUSE_MS_MAX));
  }

  /** Starts what is due, until nothing is, or others are about to. Returns when the next one is. */
  async fireDue(): Promise<number | null> {
    const { client, tell } = this.#options;
    if (performance.now() >= this.#forgetAt) this.#unreadable.clear();
    for (;;) {
      const { now, nextAt } = await nextSchedule(client, this.#unreadable);
      if (nextAt === null || nextAt > now || this.#closed) return nextAt;
      const due = await dueSchedules(client, now, SCHEDULES_MAX, this.#unreadable);
      const known = this.#unreadable.size;
      const { firings, runs } = await this.#decide(due, now);
      const fired = await this.#fire(firings, runs);
      this.#count(firings, fired);
      if (fired.some((each) => each.runIds.length > 0)) tell("cairn_work");
      if (fired.length === 0 && this.#unreadable.size === known) return nextAt;
    }
  }

  #count(firings: readonly Firing[], fired: readonly Fired[]): void {
    const { count } = this.#options;
    const done = new Set(fired.map(({ id }) => id));
    const own = firings.filter(({ id }) => done.has(id));
    count(
      "schedulesFired",
      sumOf(fired, (each) => each.runIds.length),
    );
    count(
      "schedulesSkipped",
      sumOf(fired, (each) => each.skipped),
    );
    count(
      "schedulesMissed",
      sumOf(own, ({ missed }) => missed),
    );
    count("schedulesFailed", own.filter(({ error }) => error !== null).length);
  }

  /** It stays due, for whoever knows its zone. What is wrong is written once, and makes another revision of it. */
  #leave({ id, revision, allowDuplicate, lastError }: ScheduleRow, reason: Error): Firing[] {
    if (this.#unreadable.size === 0) this.#forgetAt = performance.now() + UNREADABLE_MS;
    const error = describe(reason);
    const isTold = lastError === error;
    this.#unreadable.set(id, isTold ? revision : revision + 1);
    return isTold ? [] : [{ id, revision, allowDuplicate, advances: false, nextAt: null, missed: 0, error }];
  }

  /** One that the database refuses takes no others with it: it keeps the error, and goes on. */
  async #fire(firings: readonly Firing[], runs: readonly FiredRun[]): Promise<Fired[]> {
    const { client } = this.#options;
    try {
      return firings.length === 0 ? [] : await fire(client, firings, runs);
    } catch (error) {
      if (isConnectionLoss(error) || isContention(error)) throw error;
      const [first, ...others] = firings;
      if (others.length === 0) return fire(client, [{ ...first!, error: describe(error as Error) }], []);
      const fired: Fired[] = [];
      for (const each of firings) {
        const own = runs.filter(({ scheduleId }) => scheduleId === each.id);
        fired.push(...(await this.#fire([each], own)));
      }
      return fired;
    }
  }

  async #decide(due: readonly ScheduleRow[], now: number): Promise<{ firings: Firing[]; runs: FiredRun[] }> {
    const firings: Firing[] = [];
    const runs: FiredRun[] = [];
    // What one has missed, which comes first since it is older, keeps no other waiting that is due with it.
    const share = Math.ceil(this.#options.firingsMax / due.length);
    for (const schedule of due) {
      const room = Math.min(share, this.#options.firingsMax - runs.length);
      if (room <= 0) break;
      const { id, revision, allowDuplicate } = schedule;
      const plan = this.#plan(schedule, now, room);
      if (plan instanceof Error) {
        firings.push(...this.#leave(schedule, plan));
        continue;
      }
      const made = await this.#runs(schedule, plan, now);
      const error = typeof made === "string" ? made : null;
      if (typeof made !== "string") runs.push(...made);
      firings.push({ id, revision, allowDuplicate, advances: true, nextAt: plan.nextAt, missed: plan.missed, error });
    }
    return { firings, runs };
  }

  #plan(schedule: ScheduleRow, now: number, room: number): FiringPlan | Error {
    try {
      const times = this.#timetable.times(timingOf(schedule));
      return planFiring(times, schedule.catchUp, schedule.nextRunAt!, now, room);
    } catch (error) {
      return error as Error;
    }
  }

  /** Those of its due times; or what keeps them from being started. */
  async #runs(schedule: ScheduleRow, { dueTimes }: FiringPlan, now: number): Promise<FiredRun[] | string> {
    if (dueTimes.length === 0) return [];
    try {
      const prepared = await prepareRun(this.#options.prepare, schedule);
      return dueTimes.map((dueAt) => firedRun(prepared, schedule, dueAt, now));
    } catch (error) {
      // Not for the schedule to keep: it is the same for all.
      if (!(error instanceof EngineError) || error.code === "Unavailable" || error.code === "Closed") throw error;
      return `${error.code}: ${describe(error)}`;
    }
  }
}

function sumOf<T>(all: readonly T[], value: (each: T) => number): number {
  return all.reduce((sum, each) => sum + value(each), 0);
}

function describe(error: Error): string {
  return error.message.slice(0, ERROR_LENGTH_MAX);
}
