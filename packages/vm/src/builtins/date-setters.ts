import * as dates from "../date/index.ts";
import type { Value } from "../heap/value.ts";
import type { HostContext } from "../machine/host.ts";
import { dateOf } from "./date-receiver.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { toNumber } from "./number-conversion.ts";

/** Given parts replace those of the date, from one on; the date of a year is made valid first if it was not. */
type Part = "year" | "month" | "date" | "hour" | "minute" | "second" | "millisecond";
const PARTS: readonly Part[] = ["year", "month", "date", "hour", "minute", "second", "millisecond"];

export const dateSetters: HostTable = {
  ...setters("FullYear", "year", 3),
  ...setters("Month", "month", 2),
  ...setters("Date", "date", 1),
  ...setters("Hours", "hour", 4),
  ...setters("Minutes", "minute", 3),
  ...setters("Seconds", "second", 2),
  ...setters("Milliseconds", "millisecond", 1),
  "Date.prototype.setTime": {
    call(context, self, args) {
      const date = dateOf(context, self, "setTime");
      const time = dates.timeClip(toNumber(context, args[0]));
      context.touch(date);
      return (date.time = time);
    },
  },
  "Date.prototype.setYear": {
    call(context, self, args) {
      const date = dateOf(context, self, "setYear");
      const year = dates.makeFullYear(toNumber(context, args[0]));
      context.touch(date);
      return (date.time = replaced(Number.isNaN(date.time) ? 0 : date.time, "year", [year]));
    },
  },
};

/** The setter of local time and that of UTC do the same, under their own names. */
function setters(suffix: string, first: Part, count: number): HostTable {
  return {
    [`Date.prototype.set${suffix}`]: setter(`set${suffix}`, first, count),
    [`Date.prototype.setUTC${suffix}`]: setter(`setUTC${suffix}`, first, count),
  };
}

function setter(name: string, first: Part, count: number): HostEntry {
  return {
    call(context, self, args) {
      const date = dateOf(context, self, name);
      // Of an invalid date V8 converts the first argument only, unless the year makes it valid.
      const isLost = Number.isNaN(date.time) && first !== "year";
      const given = numbers(context, args, isLost ? 1 : count);
      if (isLost) return NaN;
      context.touch(date);
      return (date.time = replaced(Number.isNaN(date.time) ? 0 : date.time, first, given));
    },
  };
}

function numbers(context: HostContext, args: readonly Value[], count: number): number[] {
  if (args.length === 0) return [NaN];
  return args.slice(0, count).map((value) => toNumber(context, value));
}

function replaced(time: number, first: Part, given: readonly number[]): number {
  const parts = [
    dates.yearFromTime(time),
    dates.monthFromTime(time),
    dates.dateFromTime(time),
    dates.hourFromTime(time),
    dates.minuteFromTime(time),
    dates.secondFromTime(time),
    dates.millisecondFromTime(time),
  ] as [number, number, number, number, number, number, number];
  given.forEach((value, index) => (parts[PARTS.indexOf(first) + index] = value));
  const [year, month, date, hour, minute, second, millisecond] = parts;
  const day = dates.makeDay(year, month, date);
  return dates.timeClip(dates.makeDate(day, dates.makeTime(hour, minute, second, millisecond)));
}
