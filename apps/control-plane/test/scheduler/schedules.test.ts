import { ScheduleSummary, UpsertScheduleBody } from "@cairnjs/schemas/rest";
import { InvalidInput } from "cairnjs";
import { describe, expect, it } from "vitest";
import { type Cairn, EngineError, type Schedule, type ScheduleOptions } from "../../src/index.ts";
import { optionsOfUpsert, summaryOfSchedule } from "../../src/http/schedule-views.ts";
import { openSchedulerParts } from "../support/scheduler-parts.ts";
import { testBed as plainBed, type TestBed, until } from "../support/test-engine.ts";
import { encode } from "../workflows/jobs.ts";
import { approved, echo, throws } from "../workflows/basics.ts";

const MINUTE_MS = 60_000;

/** Its engines keep their runs however much time passes at once. */
async function testBed(): Promise<TestBed> {
  const bed = await plainBed();
  return { ...bed, open: (options) => bed.open({ leaseMs: 24 * 60 * MINUTE_MS, ...options }) };
}

interface RunRow {
  readonly id: string;
  readonly status: string;
  readonly scheduled_for: Date | null;
  readonly run_at: Date;
  readonly deadline: Date | null;
  readonly tags: string[];
}

function runsOf(bed: TestBed, schedule: string): Promise<RunRow[]> {
  return bed.query(
    `SELECT id, status, scheduled_for, run_at, deadline, tags FROM cairn.runs WHERE schedule = $1 ORDER BY scheduled_for, id`,
    schedule,
  );
}

/** Once everything that is due was looked at. */
async function settled(bed: TestBed): Promise<void> {
  await until(async () => {
    const due = await bed.query(
      "SELECT FROM cairn.schedules WHERE status = 'active' AND next_run_at <= cairn.now() LIMIT 1",
    );
    return due.length === 0;
  });
}

async function pass(bed: TestBed, ms: number): Promise<void> {
  await bed.advance(ms);
  await settled(bed);
}

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  // Schemas of declarations are the SDK's to refuse.
  expect(error instanceof EngineError || error instanceof InvalidInput).toBe(true);
  return `${error instanceof EngineError ? error.code : "InvalidInput"}: ${(error as Error).message}`;
}

const times = (rows: readonly RunRow[]): (number | undefined)[] => rows.map((row) => row.scheduled_for?.getTime());

it("starts runs when they are due, with the input and the options of the schedule, and says which was the last", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const made = await cairn.schedules.upsert(echo, "hourly", {
    every: "1 h",
    input: "again",
    tags: ["nightly"],
    deadline: "10 min",
    jitter: "20 s",
  });
  expect(made.nextRunAt!.getTime()).toBe(made.anchor!.getTime() + 60 * MINUTE_MS);
  await pass(bed, 61 * MINUTE_MS);
  const [run] = await runsOf(bed, "hourly");
  expect(run!.scheduled_for).toEqual(made.nextRunAt);
  expect(run!.run_at.getTime() - made.nextRunAt!.getTime()).toBeGreaterThan(0);
  expect(run!.run_at.getTime() - made.nextRunAt!.getTime()).toBeLessThan(20_000);
  expect(run!.tags).toEqual(["nightly"]);
  expect(run!.deadline!.getTime()).toBeGreaterThan(run!.run_at.getTime() + 10 * MINUTE_MS - 1);
  expect(await cairn.run(run!.id).result()).toBe("again");
  const { schedule, scheduledFor } = await cairn.run(run!.id).status();
  expect([schedule, scheduledFor]).toEqual(["hourly", made.nextRunAt]);
  const shown = await cairn.schedules.show("test.echo.v1", "hourly");
  expect(shown).toMatchObject({ lastRunId: run!.id, lastDueAt: made.nextRunAt, fired: 1, skipped: 0, missed: 0 });
  expect(shown.input).toBe("again");
  expect(shown.nextRunAt!.getTime()).toBe(made.nextRunAt!.getTime() + 60 * MINUTE_MS);
});

it("a schedule of an action starts jobs", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  await cairn.schedules.upsert(encode, "hourly", { every: "1 h", input: "a.mp4" });
  await pass(bed, 61 * MINUTE_MS);
  const [run] = await runsOf(bed, "hourly");
  await cairn.run(run!.id).result();
  expect(await cairn.run(run!.id).status()).toMatchObject({ status: "succeeded", type: "media.encode.v1" });
});

describe("while a run lives", () => {
  it("the next one is skipped, and that is recorded; with allowDuplicate it is started", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await cairn.schedules.upsert(approved, "one", { every: "1 min", catchUp: "all" });
    await cairn.schedules.upsert(approved, "many", { every: "1 min", catchUp: "all", allowDuplicate: true });
    await pass(bed, MINUTE_MS);
    await pass(bed, 2 * MINUTE_MS);
    const [alive, ...others] = await runsOf(bed, "one");
    expect(others).toEqual([]);
    expect(await runsOf(bed, "many")).toHaveLength(3);
    const { skipped, lastSkippedAt, nextRunAt, fired } = await cairn.schedules.show(approved, "one");
    expect([fired, skipped, nextRunAt!.getTime() - lastSkippedAt!.getTime()]).toEqual([1, 2, MINUTE_MS]);
    const events = await bed.query<{ data: { count: number; last: string } }>(
      "SELECT data FROM cairn.run_events WHERE run_id = $1 AND kind = 'skipped' ORDER BY id",
      alive!.id,
    );
    expect(events.map(({ data }) => data.count)).toEqual([2]);
    expect(new Date(events[0]!.data.last)).toEqual(lastSkippedAt);
    await cairn.run(alive!.id).cancel();
    await cairn
      .run(alive!.id)
      .result()
      .catch(() => {});
    await pass(bed, MINUTE_MS);
    expect(await runsOf(bed, "one")).toHaveLength(2);
  });

  it("one that has failed and is tried again lives", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await cairn.schedules.upsert(throws, "failing", { every: "1 h", input: 1 });
    const id = await cairn.schedules.trigger(throws, "failing");
    await cairn
      .run(id)
      .result()
      .catch(() => {});
    await bed.query("SELECT cairn.retry_run($1)", id);
    const [row] = await bed.query<{ same: boolean }>(
      "SELECT q.schedule = s.id AS same FROM cairn.queue AS q, cairn.schedules AS s WHERE q.run_id = $1",
      id,
    );
    // It may have failed again by now.
    expect(row?.same ?? true).toBe(true);
  });
});

describe("what was missed", () => {
  async function missing(firingsMax: number): Promise<{ bed: TestBed; cairn: Cairn; due: number[] }> {
    const bed = await testBed();
    const cairn = await bed.open({ firingsMax });
    const { nextRunAt } = await cairn.schedules.upsert(echo, "all", {
      every: "1 min",
      input: "",
      catchUp: "all",
      allowDuplicate: true,
    });
    const anchor = new Date(nextRunAt!.getTime() - MINUTE_MS);
    for (const catchUp of ["last", "none"] as const) {
      await cairn.schedules.upsert(echo, catchUp, { every: "1 min", anchor, input: "", catchUp });
    }
    await pass(bed, 10.5 * MINUTE_MS);
    return { bed, cairn, due: Array.from({ length: 10 }, (_, index) => nextRunAt!.getTime() + index * MINUTE_MS) };
  }

  it.each([1_000, 7])("none, the last one, or all of them are started; %i in one transaction", async (firingsMax) => {
    const { bed, cairn, due } = await missing(firingsMax);
    expect(times(await runsOf(bed, "all"))).toEqual(due);
    expect(times(await runsOf(bed, "last"))).toEqual(due.slice(-1));
    expect(times(await runsOf(bed, "none"))).toEqual([]);
    const missed = (await cairn.schedules.list()).map((each) => [each.name, each.fired, each.missed]);
    expect(missed).toEqual([
      ["all", 10, 0],
      ["last", 1, 9],
      ["none", 0, 10],
    ]);
  });

  it("by one schedule, however much it is, keeps no other waiting", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ firingsMax: 50 });
    const options = { input: "", allowDuplicate: true };
    await cairn.schedules.upsert(echo, "backlog", { ...options, every: "1 s", catchUp: "all" });
    await cairn.schedules.upsert(echo, "punctual", { ...options, every: "10 min" });
    await pass(bed, 11 * MINUTE_MS);
    const [punctual] = await runsOf(bed, "punctual");
    const backlog = await runsOf(bed, "backlog");
    expect(backlog.length).toBeGreaterThanOrEqual(660);
    expect(backlog.filter(({ id }) => id < punctual!.id).length).toBeLessThan(100);
  });

  it("is caught up after an upsert with the same times, which a process makes when it starts; with others it is not", async () => {
    const bed = await testBed();
    const first = await bed.open();
    const options: ScheduleOptions & { input: string } = {
      every: "1 min",
      input: "",
      catchUp: "all",
      allowDuplicate: true,
    };
    await first.schedules.upsert(echo, "same", options);
    await first.schedules.upsert(echo, "other", options);
    await first.close();
    await bed.advance(5.5 * MINUTE_MS);
    const cairn = await bed.open();
    // Whoever comes first: what is due is started, and nothing twice.
    await cairn.schedules.upsert(echo, "same", { ...options, jitter: "1 s" });
    await settled(bed);
    expect(await runsOf(bed, "same")).toHaveLength(5);
    const { nextRunAt, updatedAt } = await cairn.schedules.upsert(echo, "other", { ...options, every: "2 min" });
    expect(nextRunAt!.getTime() - updatedAt.getTime()).toBeGreaterThan(2 * MINUTE_MS - 1_000);
  });
});

it("nothing is started while it is paused, nor for that time afterwards; upsert makes it active, unless it is told not to", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const options = { every: "1 min", input: "", catchUp: "all", allowDuplicate: true } as const;
  await cairn.schedules.upsert(echo, "minutely", options);
  const paused = await cairn.schedules.pause(echo, "minutely", "the shop is closed");
  expect(paused).toMatchObject({ status: "paused", pauseReason: "the shop is closed", nextRunAt: null });
  expect(await cairn.schedules.list({ status: "paused" })).toHaveLength(1);
  const [next, after] = await cairn.schedules.upcoming(echo, "minutely", 2);
  expect([next!.getTime() - paused.anchor!.getTime(), after!.getTime() - next!.getTime()]).toEqual([
    MINUTE_MS,
    MINUTE_MS,
  ]);
  await pass(bed, 5.5 * MINUTE_MS);
  await cairn.schedules.upsert(echo, "minutely", { ...options, reactivate: false });
  expect(await cairn.schedules.show(echo, "minutely")).toMatchObject({
    status: "paused",
    pauseReason: "the shop is closed",
  });
  const resumed = await cairn.schedules.resume(echo, "minutely");
  expect(resumed).toMatchObject({ status: "active", pauseReason: null });
  // Where it would have been without the pause.
  expect((resumed.nextRunAt!.getTime() - resumed.anchor!.getTime()) % MINUTE_MS).toBe(0);
  await pass(bed, MINUTE_MS);
  expect(times(await runsOf(bed, "minutely"))).toEqual([resumed.nextRunAt!.getTime()]);
  await cairn.schedules.pause(echo, "minutely");
  expect(await cairn.schedules.upsert(echo, "minutely", options)).toMatchObject({ status: "active" });
});

describe("a trigger", () => {
  it("starts a run at once, also of one that is paused, and moves nothing", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const { nextRunAt } = await cairn.schedules.upsert(echo, "yearly", { cron: "@yearly", input: "now" });
    const id = await cairn.schedules.trigger(echo, "yearly");
    expect(await cairn.run(id).result()).toBe("now");
    expect(await cairn.schedules.show(echo, "yearly")).toMatchObject({
      lastRunId: id,
      lastDueAt: null,
      nextRunAt,
      fired: 1,
    });
    await cairn.schedules.pause(echo, "yearly");
    expect(await cairn.run(await cairn.schedules.trigger(echo, "yearly")).result()).toBe("now");
  });

  it("of many at once beside each other one succeeds, unless duplicates are allowed", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const other = await bed.open();
    await cairn.schedules.upsert(approved, "yearly", { cron: "0 0 1 1 *", timeZone: "Europe/Berlin" });
    const all = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? cairn : other).schedules.trigger(approved, "yearly"),
    );
    const outcomes = await Promise.allSettled(all);
    const reasons = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as EngineError] : [],
    );
    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(["ScheduleBusy"]));
    expect(reasons).toHaveLength(19);
    expect(await runsOf(bed, "yearly")).toHaveLength(1);
    await cairn.schedules.trigger(approved, "yearly", { allowDuplicate: true });
    expect(await runsOf(bed, "yearly")).toHaveLength(2);
    expect(await cairn.schedules.show(approved, "yearly")).toMatchObject({ skipped: 0, fired: 2 });
  });
});

it("a backfill starts each due time that has no run, once, however often it is asked for, and whoever is at it", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const { nextRunAt } = await cairn.schedules.upsert(echo, "minutely", { every: "1 min", input: "" });
  await pass(bed, MINUTE_MS);
  const from = new Date(nextRunAt!.getTime() - 30 * MINUTE_MS);
  const due = Array.from({ length: 31 }, (_, index) => from.getTime() + index * MINUTE_MS);
  // An interval has no times before its anchor.
  expect(await cairn.schedules.backfill(echo, "minutely", from, nextRunAt!)).toBe(1);
  await cairn.schedules.upsert(echo, "minutely", { every: "1 min", input: "", anchor: from });
  const all = await Promise.all(
    Array.from({ length: 3 }, () => cairn.schedules.backfill(echo, "minutely", from, nextRunAt!)),
  );
  expect(all.reduce((sum, started) => sum + started)).toBe(29);
  expect(times(await runsOf(bed, "minutely"))).toEqual(due);
  // One that was deleted is not made again.
  await cairn.run((await runsOf(bed, "minutely"))[0]!.id).delete();
  expect(await cairn.schedules.backfill(echo, "minutely", from, nextRunAt!)).toBe(0);
});

it("one whose type is gone, or whose input is refused, says so and goes on; others are undisturbed", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  await cairn.schedules.upsert(echo, "fine", { every: "1 min", input: "", catchUp: "all", allowDuplicate: true });
  await cairn.schedules.upsert(approved, "gone", { every: "1 min" });
  await cairn.schedules.upsert(throws, "refused", { every: "1 min", input: 1 });
  await bed.query("DELETE FROM cairn.current_versions WHERE name = 'test.approved.v1'");
  await bed.query("UPDATE cairn.schedules SET payload = '\"text\"' WHERE name = 'refused'");
  await pass(bed, 1.5 * MINUTE_MS);
  await pass(bed, MINUTE_MS);
  const [gone, fine, refused] = await cairn.schedules.list();
  expect(gone!.lastError).toBe("UnknownType: Nothing is registered as test.approved.v1 in the namespace default");
  expect(refused!.lastError).toMatch(/^InvalidInput: test.throws.v1: input: expected number/);
  for (const each of [gone!, refused!]) expect(each.nextRunAt).not.toBeNull();
  expect(fine!.lastError).toBeNull();
  expect(await runsOf(bed, "fine")).toHaveLength(2);
  // Mended, the next one forgets it.
  await bed.query("UPDATE cairn.schedules SET payload = '1' WHERE name = 'refused'");
  await pass(bed, MINUTE_MS);
  expect(await cairn.schedules.show(throws, "refused")).toMatchObject({ lastError: null, lastErrorAt: null, fired: 1 });
});

it("one whose zone a process does not know is left to another that does, for its time; others are undisturbed", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const options = { input: "", catchUp: "all", allowDuplicate: true } as const;
  const cron = { cron: "0 * * * * *", timeZone: "Europe/Berlin" };
  const { nextRunAt } = await cairn.schedules.upsert(echo, "strange", { ...options, ...cron });
  await cairn.schedules.upsert(echo, "fine", { ...options, every: "1 min" });
  await bed.query("UPDATE cairn.schedules SET time_zone = 'Mars/Phobos' WHERE name = 'strange'");
  await bed.advance(1.5 * MINUTE_MS);
  await until(async () => (await cairn.schedules.show(echo, "strange")).lastError !== null);
  await bed.advance(2 * MINUTE_MS);
  await until(async () => (await runsOf(bed, "fine")).length >= 3);
  expect(await cairn.schedules.show(echo, "strange")).toMatchObject({ nextRunAt, fired: 0 });
  // The other one has newer data of zones.
  await bed.query("UPDATE cairn.schedules SET time_zone = 'Europe/Berlin' WHERE name = 'strange'");
  const { scheduler, pool } = openSchedulerParts(bed.url, "other scheduler");
  await scheduler.fireDue();
  await pool.end();
  const due = [0, 1, 2].map((index) => nextRunAt!.getTime() + index * MINUTE_MS);
  expect(times(await runsOf(bed, "strange")).slice(0, 3)).toEqual(due);
  expect((await cairn.schedules.show(echo, "strange")).lastError).toBeNull();
});

it("one whose runs the database refuses keeps the error, and those that are due with it are started", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const options = { every: "1 min", input: "", catchUp: "all", allowDuplicate: true } as const;
  for (const name of ["first", "poisoned", "last"]) await cairn.schedules.upsert(echo, name, options);
  await bed.query("ALTER TABLE cairn.runs ADD CHECK (schedule <> 'poisoned')");
  await pass(bed, 3.5 * MINUTE_MS);
  expect(await runsOf(bed, "first")).toHaveLength(3);
  expect(await runsOf(bed, "last")).toHaveLength(3);
  const poisoned = await cairn.schedules.show(echo, "poisoned");
  expect(poisoned.lastError).toMatch(/violates check constraint/);
  expect(poisoned.nextRunAt!.getTime()).toBeGreaterThan(poisoned.lastErrorAt!.getTime());
});

it("schedules are listed in order, by pages, and deleted; their runs stay", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  for (const name of ["b", "a", "c"]) await cairn.schedules.upsert(echo, name, { every: "1 d", input: name });
  await cairn.schedules.upsert(approved, "d", { every: "1 d" });
  const names = (page: readonly Schedule[]): string[] => page.map(({ name }) => name);
  expect(names(await cairn.schedules.list())).toEqual(["d", "a", "b", "c"]);
  const page = await cairn.schedules.list({ type: "test.echo.v1", limit: 2 });
  expect(names(page)).toEqual(["a", "b"]);
  expect(names(await cairn.schedules.list({ after: page[1]! }))).toEqual(["c"]);
  const id = await cairn.schedules.trigger(echo, "a");
  await cairn.schedules.delete(echo, "a");
  expect(await cairn.run(id).result()).toBe("a");
  expect(await refusal(cairn.schedules.show(echo, "a"))).toBe("NotFound: test.echo.v1 has no schedule a");
  expect(await (await bed.open({ namespace: "other" })).schedules.list()).toEqual([]);
});

it("what is wrong is said in one line", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  const said = (options: object): Promise<string> =>
    refusal(cairn.schedules.upsert("test.echo.v1", "x", { input: "", ...options }));
  const example = 'for example "30 9 * * MON-FRI": half past nine from Monday to Friday';
  const refused: readonly (readonly [object, string])[] = [
    [{}, "A schedule has either cron or every, and not neither"],
    [{ cron: "* * * * *", every: "1 h" }, "A schedule has either cron or every, and not both"],
    [{ cron: "61 * * * *" }, `The cron expression "61 * * * *" is malformed: Invalid value for minute: 61; ${example}`],
    [
      { cron: "hourly" },
      `The cron expression "hourly" has 1 field: it takes minute, hour, day, month and weekday, and may have the second in front; ${example}`,
    ],
    [{ cron: "0 0 30 2 *" }, 'The cron expression "0 0 30 2 *" is never due'],
    [{ cron: "0 0 31 2,4,6,9,11 *" }, 'The cron expression "0 0 31 2,4,6,9,11 *" is never due'],
    [{ cron: "@daily", timeZone: "Berlin" }, '"Berlin" is no time zone. Did you mean "Europe/Berlin"?'],
    [{ cron: "@daily", timeZone: "Mars/Olympus" }, '"Mars/Olympus" is no time zone. One is "Europe/Berlin"'],
    [{ cron: "@daily", timeZone: "+01:00" }, '"+01:00" is no time zone. One is "Europe/Berlin"'],
    [{ every: "10 min", jitter: "11 min" }, "jitter is longer than the 600000 ms between two times of the schedule"],
    [{ cron: "*/5 * * * *", jitter: "6 min" }, "jitter is longer than the 300000 ms between two times of the schedule"],
    [{ every: "10 ms" }, 'every is a duration of at least 1000 ms, such as "90 s"'],
    [{ every: "1 h", timeZone: "UTC" }, "timeZone is for schedules with cron: every has none"],
    [{ cron: "@daily", anchor: new Date() }, "anchor is for schedules with every: a cron expression has none"],
    [{ every: "1 h", catchUp: "some" }, 'catchUp is "none", "last" or "all"'],
    [{ every: "1 h", priority: 101 }, "The priority is a whole number from -100 to 100, not 101"],
    [{ every: "1 h", allowDuplicate: 1 }, "allowDuplicate is true or false, not 1"],
  ];
  for (const [options, message] of refused) expect(await said(options)).toBe(`InvalidOption: ${message}`);
  expect(await said({ every: "1 h", often: true })).toMatch(
    /^InvalidOption: A schedule has no option "often"\. There are input, /,
  );
  expect(await said({ every: "1 h", input: 7 })).toMatch(/^InvalidInput: /);
  expect(await said({ every: "1 h", input: "x".repeat(300_000) })).toBe(
    "PayloadTooLarge: The input of a schedule has at most 262144 bytes",
  );
  expect(await refusal(cairn.schedules.upsert("nobody.knows.v1", "x", { every: "1 h" }))).toBe(
    "UnknownType: Nothing is registered as nobody.knows.v1 in the namespace default",
  );
  await cairn.schedules.upsert(echo, "x", { cron: "* * * * *", input: "" });
  const backfill = (from: number, to: number): Promise<string> =>
    refusal(cairn.schedules.backfill(echo, "x", new Date(from), new Date(to)));
  const now = Date.now();
  expect(await backfill(now, now - 1)).toBe("InvalidOption: A backfill is from an earlier time to a later one");
  expect(await backfill(now, now + MINUTE_MS)).toMatch(/^InvalidOption: A backfill is for the past/);
  expect(await backfill(now - 10_002 * MINUTE_MS, now)).toMatch(
    /^InvalidOption: A backfill is of at most 10000 due times/,
  );
  const { schedules } = cairn;
  for (const ask of ["pause", "resume", "trigger", "delete"] as const) {
    expect(await refusal(schedules[ask](echo, "y"))).toBe("NotFound: test.echo.v1 has no schedule y");
  }
});

it("what an API is told and tells is what its schemas say", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  await cairn.register(echo);
  const { book, pool } = openSchedulerParts(bed.url, "test");
  try {
    const settings = {
      jitterMs: 1_000,
      payload: "x",
      allowDuplicate: true,
      catchUp: "all" as const,
      priority: 3,
      maxAttempts: 2,
      tags: ["t"],
      deadlineMs: 5_000,
      deadLetterType: "test.mourn.v1",
    };
    for (const timing of [
      { cron: "0 9 * * *", timeZone: "Asia/Kathmandu" },
      { everyMs: 60_000, anchor: "2023-11-14T22:13:20.000Z" },
    ]) {
      const said = UpsertScheduleBody.parse({ ...timing, ...settings });
      const key = { namespace: "default", type: "test.echo.v1", name: "x" };
      const view = summaryOfSchedule(await book.upsert(key, optionsOfUpsert(said), said.reactivate));
      expect(ScheduleSummary.parse(view)).toEqual(view);
      expect(view).toMatchObject(said);
      await book.trigger(key, null);
      ScheduleSummary.parse(summaryOfSchedule(await book.show(key)));
    }
  } finally {
    await pool.end();
  }
});

it("two engines start what is due each second in that second, once", async () => {
  const bed = await plainBed();
  const engines = [await bed.open(), await bed.open()];
  await engines[0]!.schedules.upsert(echo, "secondly", { cron: "* * * * * *", input: "", allowDuplicate: true });
  const rows = await until(async () => {
    const found = await bed.query<{ late: number; scheduled_for: Date }>(
      `SELECT extract(epoch FROM created_at - scheduled_for)::float8 AS late, scheduled_for FROM cairn.runs
      WHERE schedule = 'secondly' ORDER BY scheduled_for`,
    );
    return found.length >= 4 && found;
  });
  expect(new Set(rows.map((row) => row.scheduled_for.getTime())).size).toBe(rows.length);
  expect(rows.map(({ late }) => late).toSorted((a, b) => a - b)[1]).toBeLessThan(1);
});
