import { beforeAll, expect, test } from "vitest";
import * as date from "./index.ts";

/** The native Date under UTC says what is right: these rules have not changed between versions of Node. */
const SEED = 20_240_229;
const TIMES = 200_000;

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

test(`the fields and texts of a time value are the native ones, seed ${SEED}`, () => {
  const random = mulberry32(SEED);
  const found: string[] = [];
  for (let i = 0; i < TIMES && found.length < 5; i++) {
    const time = timeValue(random);
    const actual = describeTime(time);
    const expected = describeNative(new Date(time));
    if (actual !== expected) found.push(`${time}: ${actual}, not ${expected}`);
  }
  expect(found).toEqual([]);
});

test(`composing a time value from fields gives the native one, seed ${SEED}`, () => {
  const random = mulberry32(SEED);
  const found: string[] = [];
  for (let i = 0; i < TIMES && found.length < 5; i++) {
    const fields = someFields(random);
    const actual = compose(fields);
    const expected = Date.UTC(...fields);
    const constructed = new Date(...fields).getTime();
    if (!Object.is(actual, expected) || !Object.is(actual, constructed)) {
      found.push(`${fields.join(", ")}: ${actual}, not ${expected}`);
    }
  }
  expect(found).toEqual([]);
});

test(`setting a field of a time value gives the native one, seed ${SEED}`, () => {
  const random = mulberry32(SEED);
  const found: string[] = [];
  for (let i = 0; i < TIMES && found.length < 5; i++) {
    const time = timeValue(random);
    const value = wildNumber(random);
    const day = date.makeDay(date.yearFromTime(time), value, date.dateFromTime(time));
    const month = date.timeClip(date.makeDate(day, date.timeWithinDay(time)));
    const clock = date.makeTime(value, date.minuteFromTime(time), date.secondFromTime(time), 1);
    const hour = date.timeClip(date.makeDate(date.day(time), clock));
    if (!Object.is(month, new Date(time).setUTCMonth(value))) found.push(`month ${value} of ${time}: ${month}`);
    const nativeHour = new Date(time).setHours(value, date.minuteFromTime(time), date.secondFromTime(time), 1);
    if (!Object.is(hour, nativeHour)) found.push(`hour ${value} of ${time}: ${hour}`);
    if (!Object.is(date.timeClip(value * 1e6), new Date(value * 1e6).getTime())) found.push(`clip ${value * 1e6}`);
  }
  expect(found).toEqual([]);
});

test("a time value is never -0, and NaN stays NaN", () => {
  expect(date.timeClip(-0)).toBe(0);
  expect(date.timeClip(-0.5)).toBe(0);
  expect(date.timeClip(8.64e15)).toBe(8.64e15);
  expect(date.timeClip(8.64e15 + 1)).toBeNaN();
  for (const field of [date.day, date.timeWithinDay, date.yearFromTime, date.monthFromTime, date.dateFromTime]) {
    expect(field(NaN)).toBeNaN();
  }
  for (const field of [date.hourFromTime, date.minuteFromTime, date.secondFromTime, date.millisecondFromTime]) {
    expect(field(NaN)).toBeNaN();
  }
  expect(date.weekDay(NaN)).toBeNaN();
});

type Random = () => number;
type Fields = [number, number, number, number, number, number, number];

function describeTime(time: number): string {
  const day = [date.yearFromTime, date.monthFromTime, date.dateFromTime, date.weekDay];
  const clock = [date.hourFromTime, date.minuteFromTime, date.secondFromTime, date.millisecondFromTime];
  const texts = [date.toISOString, date.toUTCString, date.toString, date.toDateString, date.toTimeString];
  return [...day, ...clock, ...texts].map((field) => field(time)).join("|");
}

function describeNative(native: Date): string {
  const day = [native.getUTCFullYear(), native.getMonth(), native.getUTCDate(), native.getDay()];
  const clock = [native.getUTCHours(), native.getMinutes(), native.getUTCSeconds(), native.getMilliseconds()];
  const texts = [native.toISOString(), native.toUTCString(), native.toString(), native.toDateString()];
  return [...day, ...clock, ...texts, native.toTimeString()].join("|");
}

function compose([year, month, dayOfMonth, hour, minute, second, millisecond]: Fields): number {
  const day = date.makeDay(date.makeFullYear(year), month, dayOfMonth);
  return date.timeClip(date.makeDate(day, date.makeTime(hour, minute, second, millisecond)));
}

/** All of the range, this age, and the days where years and the range begin or end. */
function timeValue(random: Random): number {
  const borders = [8.64e15, -8.64e15, 0, -62_198_755_200_000, -62_167_219_200_000, 253_402_300_800_000];
  const time = pick(random, [
    (random() * 2 - 1) * 8.64e15,
    (random() * 2 - 1) * 4e12,
    Math.floor(random() * 4000) * 31_556_952_000 - 62e12 + random() * 1e9,
    pick(random, borders) + random() * 4 - 2,
  ]);
  return date.timeClip(Math.min(8.64e15, Math.max(-8.64e15, time)));
}

/** Mostly near a real date; sometimes far away, and sometimes with days that make up for the years. */
function someFields(random: Random): Fields {
  const sane = (limit: number): number =>
    random() < 0.7 ? Math.floor(random() * limit * 1.5) - limit / 4 : wildNumber(random);
  const fields: Fields = [sane(3000), sane(12), sane(31), sane(24), sane(60), sane(60), sane(1000)];
  if (random() < 0.3) {
    fields[0] = Math.trunc((random() - 0.5) * 2.1e6);
    fields[2] = (1970 - fields[0]) * 365.2425 + (random() - 0.5) * 1e8;
  }
  return fields;
}

function wildNumber(random: Random): number {
  const special = [NaN, Infinity, -Infinity, -0, -0.5, -0.9, 99.9, 1e6, -1e6, 1e6 + 0.5, 1e7, -1e7, 1e7 + 1, 1e308];
  return random() < 0.2 ? pick(random, special) : (random() - 0.5) * pick(random, [100, 2.1e6, 2.1e7, 1e9, 1e13, 1e17]);
}

function pick(random: Random, choices: readonly number[]): number {
  return choices[Math.floor(random() * choices.length)]!;
}

function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
