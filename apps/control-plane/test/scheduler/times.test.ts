import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CronFields, cronOf, WalkedClock } from "../support/due-times.ts";
import { lastTime, nextTimes, type Times, Timetable } from "../../src/scheduler/timetable.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** Both changes of 2026 of each, as far as there are any: hours, half an hour, and none, beside quarters of an hour. */
const CHANGES: readonly (readonly [string, string])[] = [
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["Asia/Kathmandu", "2026-03-29T01:00:00Z"],
  ["America/Santiago", "2026-04-05T03:00:00Z"],
  ["America/Santiago", "2026-09-06T04:00:00Z"],
  // A day that the calendar there does not have.
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
];

const fieldsArbitrary: fc.Arbitrary<CronFields> = fc.record({
  minutes: fc.uniqueArray(fc.constantFrom(0, 1, 15, 29, 30, 45, 59), { minLength: 1, maxLength: 4 }),
  hours: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 8 })),
  days: fc.option(fc.uniqueArray(fc.constantFrom(1, 4, 5, 8, 25, 28, 29, 30, 31), { minLength: 1 }), { freq: 3 }),
  weekdays: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }), { freq: 3 }),
});

describe("times of cron expressions", () => {
  it.each(CHANGES)("%s around %s are what a walk over all minutes finds", (zone, change) => {
    const from = Date.parse(change) - 3 * DAY_MS;
    const to = Date.parse(change) + 3 * DAY_MS;
    const clock = new WalkedClock(zone, from, to);
    const timetable = new Timetable();
    fc.assert(
      fc.property(fieldsArbitrary, (fields) => {
        const times = timetable.times({ cron: cronOf(fields), timeZone: zone });
        expect(timesUntil(times, from, to)).toEqual(clock.dueTimes(fields).filter((at) => at <= to));
      }),
      { numRuns: 50 },
    );
  });

  it("by seconds: what is due every so many of them is due in both of two equal hours, and goes on after one that is left out", () => {
    for (const [zone, change] of CHANGES.slice(0, 7)) {
      const from = Date.parse(change) - HOUR_MS;
      const every = nextTimes({ cron: "*/20 * * * * *", timeZone: zone }, from, 360);
      expect(every).toEqual(Array.from({ length: 360 }, (_, index) => from + (index + 1) * 20_000));
    }
  });

  it("the days on which clocks are changed, one by one", () => {
    const of = (cron: string, timeZone: string, from: string, count: number): string[] =>
      nextTimes({ cron, timeZone }, Date.parse(from), count).map((at) => new Date(at).toISOString().slice(5, 16));
    // 02:30 is not there: it is due at 03:00. With 03:00 it is one.
    expect(of("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2)).toEqual(["03-29T01:00", "03-30T00:30"]);
    expect(of("0,30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 3)).toEqual([
      "03-29T01:00",
      "03-29T01:30",
      "03-30T00:00",
    ]);
    // 02:30 comes twice: the first one counts.
    expect(of("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2)).toEqual(["10-25T00:30", "10-26T01:30"]);
    expect(of("30 * * * *", "Europe/Berlin", "2026-10-24T23:45Z", 3)).toEqual([
      "10-25T00:30",
      "10-25T01:30",
      "10-25T02:30",
    ]);
  });

  it("every four years, the last day of a month, the second Friday, names", () => {
    const of = (cron: string): string[] =>
      nextTimes({ cron, timeZone: "UTC" }, Date.parse("2026-01-15T00:00Z"), 2).map((at) => new Date(at).toISOString());
    expect(of("0 0 29 2 *")).toEqual(["2028-02-29T00:00:00.000Z", "2032-02-29T00:00:00.000Z"]);
    expect(of("0 0 L * *")).toEqual(["2026-01-31T00:00:00.000Z", "2026-02-28T00:00:00.000Z"]);
    expect(of("0 0 * * FRI#2")).toEqual(["2026-02-13T00:00:00.000Z", "2026-03-13T00:00:00.000Z"]);
    expect(of("@monthly")).toEqual(["2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"]);
    expect(of("0 * 29 2 *")[0]).toBe("2028-02-29T00:00:00.000Z");
    expect(of("0 0 30 2 *")).toEqual([]);
    // Croner does not come back from looking through so many months.
    expect(of("0 0 31 2,4,6,9,11 *")).toEqual([]);
  });

  it("a question mark is a star: a day that is left open is not one of two that are given", () => {
    const of = (cron: string): number[] => nextTimes({ cron, timeZone: "Europe/Berlin" }, 0, 20);
    expect(of("0 9 ? * MON")).toEqual(of("0 9 * * MON"));
    expect(of("0 9 1 * ?")).toEqual(of("0 9 1 * *"));
    expect(of("0 0 ? * * ?")).toEqual(of("0 0 * * * *"));
  });
});

it("an interval is due at its anchor, and every so long after it", () => {
  const time = fc.integer({ min: 0, max: 4e12 });
  fc.assert(
    fc.property(time, fc.integer({ min: 1_000, max: 1e9 }), time, (anchorMs, everyMs, after) => {
      const [due] = nextTimes({ everyMs, anchorMs }, after, 1);
      expect(due).toBeGreaterThan(after);
      expect((due! - anchorMs) % everyMs).toBe(0);
      expect(due! <= after + everyMs || due === anchorMs).toBe(true);
    }),
  );
});

it("the last time of many is the one that going through all of them ends with", () => {
  const timetable = new Timetable();
  const hour = fc.integer({ min: 0, max: 23 });
  const start = Date.parse("2026-10-20T00:00:00Z");
  fc.assert(
    fc.property(hour, fc.integer({ min: 1, max: 10 * DAY_MS }), (only, length) => {
      const times = timetable.times({ cron: `*/7 ${only} * * *`, timeZone: "Europe/Berlin" });
      const first = times.next(start)!;
      const until = first + length;
      expect(lastTime(times, first, until)).toBe([first, ...timesUntil(times, first, until)].at(-1));
    }),
  );
});

function timesUntil(times: Times, after: number, until: number): number[] {
  const found: number[] = [];
  for (let at = times.next(after); at !== null && at <= until; at = times.next(at)) found.push(at);
  return found;
}
