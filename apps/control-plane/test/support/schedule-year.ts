import { expect } from "vitest";
import pg from "pg";
import { registeredJob } from "../../src/library/registered-job.ts";
import type { ScheduleOptions } from "../../src/scheduler/schedule-options.ts";
import { registerJobs } from "../../src/store/register-jobs.ts";
import { type CronFields, cronOf, WalkedClock } from "./due-times.ts";
import { openSchedulerParts, type SchedulerParts } from "./scheduler-parts.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"] as const;
const ON_TIME_MS = 10_000;
const TYPE = "year.tick.v1";

/** A schedule, and what is known of it without asking anybody. */
interface Expected {
  readonly name: string;
  readonly options: ScheduleOptions;
  /** All due times of the year. */
  readonly due: readonly number[];
  /** The first of these that was not looked at. */
  next: number;
  paused: boolean;
  alive: boolean;
  readonly fired: number[];
  skipped: number;
  missed: number;
}

export interface YearOptions {
  readonly url: string;
  readonly seed: number;
  readonly schedules: number;
  readonly from: number;
  readonly days: number;
  /** Of these, on average, each time passes at once. */
  readonly stepMs: number;
  /** Called when time has passed, and before anybody could have looked at all. */
  readonly disturb: (step: number, firedBefore: number) => Promise<void>;
}

/**
 * Lets time pass over schedules that others fire, and compares with what should have been: each due time once, overlap and
 * catch-up as configured. Returns how many due times there were, and how many runs.
 */
export async function passYear(options: YearOptions): Promise<{ due: number; runs: number; steps: number }> {
  const sql = new pg.Client({ connectionString: options.url });
  await sql.connect();
  const parts = openSchedulerParts(options.url, "test");
  try {
    const year = new Year(sql, parts, options);
    await year.prepare();
    const steps = await year.pass();
    return { ...(await year.compare()), steps };
  } finally {
    await parts.pool.end();
    await sql.end();
  }
}

class Year {
  readonly #sql: pg.Client;
  readonly #options: YearOptions;
  readonly #random: () => number;
  readonly #all: Expected[] = [];
  readonly #parts: SchedulerParts;
  #now: number;

  constructor(sql: pg.Client, parts: SchedulerParts, options: YearOptions) {
    this.#sql = sql;
    this.#options = options;
    this.#random = randomOf(options.seed);
    this.#now = options.from;
    this.#parts = parts;
  }

  /** The clock stands still until it is moved. */
  async prepare(): Promise<void> {
    const { from, days } = this.#options;
    await this.#sql.query(`
      CREATE TABLE cairn.test_clock (moment timestamptz NOT NULL);
      INSERT INTO cairn.test_clock VALUES (to_timestamp(${from / 1_000}));
      CREATE OR REPLACE FUNCTION cairn.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT moment FROM cairn.test_clock';
      SELECT cairn.create_partitions(cairn.now() + interval '${days + 7} days')`);
    await registerJobs(this.#parts.pool, "default", [registeredJob(TYPE, 1, null)]);
    const clocks = new Map(ZONES.map((zone) => [zone, new WalkedClock(zone, from, from + days * DAY_MS)]));
    for (let index = 0; index < this.#options.schedules; index++) await this.#make(`s${index}`, clocks);
  }

  async #make(name: string, clocks: ReadonlyMap<string, WalkedClock>): Promise<void> {
    const { from, days } = this.#options;
    const policies: ScheduleOptions = {
      allowDuplicate: this.#random() < 0.5,
      catchUp: this.#one(["none", "last", "all", "all"] as const),
    };
    const cron = (fields: CronFields): [ScheduleOptions, number[]] => {
      const timeZone = this.#one(ZONES);
      return [{ ...policies, cron: cronOf(fields), timeZone }, clocks.get(timeZone)!.dueTimes(fields)];
    };
    const minutes = [this.#below(60)];
    const hours = [this.#below(5)];
    const kind = this.#random();
    let made: [ScheduleOptions, number[]];
    if (kind < 0.004) made = cron({ minutes, hours: null, days: null, weekdays: null });
    else if (kind < 0.1) made = cron({ minutes, hours, days: null, weekdays: null });
    else if (kind < 0.5) made = cron({ minutes, hours, days: null, weekdays: [0] });
    else if (kind < 0.8) made = cron({ minutes, hours, days: [1 + this.#below(31)], weekdays: null });
    else {
      const everyMs = 5 * DAY_MS + this.#below(25 * DAY_MS);
      const count = Math.floor((days * DAY_MS) / everyMs);
      made = [
        { ...policies, every: everyMs },
        Array.from({ length: count }, (_, index) => from + (index + 1) * everyMs),
      ];
    }
    const [options, due] = made;
    await this.#parts.book.upsert(
      { namespace: "default", type: TYPE, name },
      { ...options, payload: "null", checked: true },
    );
    this.#all.push({ name, options, due, next: 0, paused: false, alive: false, fired: [], skipped: 0, missed: 0 });
  }

  async pass(): Promise<number> {
    const { from, days, stepMs, disturb } = this.#options;
    let steps = 0;
    for (; this.#now < from + days * DAY_MS - 2 * stepMs; steps++) {
      const passed = this.#below(2 * stepMs) + 1;
      // Often at a full hour: something is due just then.
      this.#now += this.#random() < 0.5 ? passed : passed - ((this.#now + passed) % (60 * MINUTE_MS)) + 60 * MINUTE_MS;
      for (const each of this.#all) expectFirings(each, this.#now);
      const firedBefore = await this.#count("SELECT sum(fired) AS count FROM cairn.schedules");
      await this.#sql.query("UPDATE cairn.test_clock SET moment = to_timestamp($1::float8 / 1000)", [this.#now]);
      await disturb(steps, firedBefore);
      await this.#settled();
      await this.#endRuns();
      await this.#pauseAndResume();
    }
    return steps;
  }

  async #settled(): Promise<void> {
    const due =
      "SELECT count(*) FROM cairn.schedules WHERE status = 'active' AND next_run_at <= (SELECT moment FROM cairn.test_clock)";
    while ((await this.#count(due)) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Half of those that live, and all whose schedules do not care. */
  async #endRuns(): Promise<void> {
    const ended: string[] = [];
    for (const each of this.#all) {
      if (each.options.allowDuplicate !== true && (!each.alive || this.#random() < 0.5)) continue;
      each.alive = false;
      ended.push(each.name);
    }
    await this.#sql.query(
      `WITH gone AS (
        DELETE FROM cairn.queue AS q USING cairn.schedules AS s WHERE q.schedule = s.id AND s.name = ANY ($1) RETURNING q.run_id
      ) UPDATE cairn.runs AS r SET status = 'succeeded', ended_at = r.run_at FROM gone WHERE r.id = gone.run_id`,
      [ended],
    );
  }

  async #pauseAndResume(): Promise<void> {
    const each = this.#one(this.#all);
    const key = { namespace: "default", type: TYPE, name: each.name };
    if (each.paused) {
      await this.#parts.book.resume(key);
      while (each.due[each.next]! <= this.#now) each.next += 1;
    } else await this.#parts.book.pause(key, null);
    each.paused = !each.paused;
  }

  async compare(): Promise<{ due: number; runs: number }> {
    const { rows } = await this.#sql.query<{ name: string; fired: string[]; skipped: string; missed: string }>(
      `SELECT s.name, s.skipped, s.missed, ARRAY(SELECT (extract(epoch FROM r.scheduled_for) * 1000)::bigint FROM cairn.runs AS r
        WHERE r.schedule = s.name ORDER BY r.scheduled_for) AS fired FROM cairn.schedules AS s`,
    );
    const found = new Map(rows.map((row) => [row.name, row]));
    let runs = 0;
    for (const each of this.#all) {
      const { fired, skipped, missed } = found.get(each.name)!;
      const what = `${each.name} ${JSON.stringify(each.options)} (seed ${this.#options.seed})`;
      expect(fired.map(Number), what).toEqual(each.fired);
      expect([Number(skipped), Number(missed)], what).toEqual([each.skipped, each.missed]);
      runs += fired.length;
    }
    expect(await this.#count("SELECT count(*) FROM cairn.runs")).toBe(runs);
    expect(await this.#count("SELECT sum(fired) AS count FROM cairn.schedules")).toBe(runs);
    return { due: this.#all.reduce((sum, { next }) => sum + next, 0), runs };
  }

  async #count(text: string): Promise<number> {
    return Number((await this.#sql.query<{ count: string }>(text)).rows[0]!.count);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)]!;
  }
}

/** What docs/schedules.md says of time that has passed at once. */
function expectFirings(each: Expected, now: number): void {
  if (each.paused) return;
  const first = each.next;
  while (each.next < each.due.length && each.due[each.next]! <= now) each.next += 1;
  const due = each.due.slice(first, each.next);
  if (due.length === 0) return;
  const { catchUp, allowDuplicate } = each.options;
  const last = due.slice(-1);
  const chosen = catchUp === "all" ? due : catchUp === "last" || now - last[0]! <= ON_TIME_MS ? last : [];
  each.missed += due.length - chosen.length;
  const started = allowDuplicate === true ? chosen : each.alive ? [] : chosen.slice(0, 1);
  each.fired.push(...started);
  each.skipped += chosen.length - started.length;
  each.alive ||= started.length > 0;
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
