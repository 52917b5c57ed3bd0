/** The last point in time that a Date can say, and, negated, the first. */
export const TIME_MAX = 8.64e15;

/** Milliseconds in the units that durations are written in. */
const UNITS = {
  ms: 1,
  millisecond: 1,
  milliseconds: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  min: 60_000,
  mins: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hrs: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
  w: 604_800_000,
  week: 604_800_000,
  weeks: 604_800_000,
} as const;

/** How a unit may be written: `days`, `Days`, `DAYS`. */
export type DurationUnit = WrittenUnit | Capitalize<WrittenUnit> | Uppercase<WrittenUnit>;

type WrittenUnit = keyof typeof UNITS;

export const durationUnits: readonly string[] = Object.keys(UNITS);

/** `"90 s"`, `"1.5 h"`, `"2 days"`: a number and a unit, as milliseconds; NaN for anything else. */
export function parseDuration(text: string): number {
  const match = /^\s*(-?\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  if (match === null) return Number.NaN;
  const unit = match[2]!.toLowerCase();
  return isUnit(unit) ? Number(match[1]) * UNITS[unit] : Number.NaN;
}

function isUnit(text: string): text is WrittenUnit {
  return Object.hasOwn(UNITS, text);
}
