import * as dates from "../date/index.ts";
import { VDate } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { dateOf, isDate } from "./date-receiver.ts";
import { dateSetters } from "./date-setters.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { toNumber } from "./number-conversion.ts";
import { chargeScan, toText } from "./string-conversion.ts";

/** Local time is UTC. The constructor and `toJSON` are in the prelude: they convert objects. */
export const dateBuiltins: HostTable = {
  "Date.UTC": { call: (context, _self, args) => dates.timeClip(timeOfParts(context, args)) },
  "Date.now": { call: (context) => context.now() },
  "Date.parse": { call: (context, _self, args) => parse(context, toText(context, args[0])) },

  "Date.prototype.getDate": getter(dates.dateFromTime),
  "Date.prototype.getDay": getter(dates.weekDay),
  "Date.prototype.getFullYear": getter(dates.yearFromTime),
  "Date.prototype.getHours": getter(dates.hourFromTime),
  "Date.prototype.getMilliseconds": getter(dates.millisecondFromTime),
  "Date.prototype.getMinutes": getter(dates.minuteFromTime),
  "Date.prototype.getMonth": getter(dates.monthFromTime),
  "Date.prototype.getSeconds": getter(dates.secondFromTime),
  "Date.prototype.getTime": getter((time) => time),
  "Date.prototype.getTimezoneOffset": getter(() => 0),
  "Date.prototype.getUTCDate": getter(dates.dateFromTime),
  "Date.prototype.getUTCDay": getter(dates.weekDay),
  "Date.prototype.getUTCFullYear": getter(dates.yearFromTime),
  "Date.prototype.getUTCHours": getter(dates.hourFromTime),
  "Date.prototype.getUTCMilliseconds": getter(dates.millisecondFromTime),
  "Date.prototype.getUTCMinutes": getter(dates.minuteFromTime),
  "Date.prototype.getUTCMonth": getter(dates.monthFromTime),
  "Date.prototype.getUTCSeconds": getter(dates.secondFromTime),
  "Date.prototype.getYear": getter((time) => dates.yearFromTime(time) - 1900),
  "Date.prototype.valueOf": getter((time) => time),

  ...dateSetters,

  "Date.prototype.toDateString": formatter("toDateString", dates.toDateString),
  "Date.prototype.toISOString": {
    call(context, self) {
      const { time } = dateOf(context, self, "toISOString");
      if (time !== time) throwError(context, "RangeError", "Invalid time value");
      return dates.toISOString(time);
    },
  },
  "Date.prototype.toString": formatter("toString", dates.toString),
  "Date.prototype.toTimeString": formatter("toTimeString", dates.toTimeString),
  "Date.prototype.toUTCString": formatter("toUTCString", dates.toUTCString),
};

export function newDate(context: HostContext, time: number): VDate {
  context.charge(0, 32);
  return new VDate(context.realm.prototype("Date"), time);
}

/** `Date.parse`, and the constructor with a text. */
export function parse(context: HostContext, text: string): number {
  chargeScan(context, text.length * 32);
  return dates.parseDate(text);
}

/** Year, month and so on of `Date.UTC` and the constructor, made primitive; not clipped. */
export function timeOfParts(context: HostContext, parts: readonly Value[]): number {
  const [year = NaN, month = 0, date = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = parts
    .slice(0, 7)
    .map((part) => toNumber(context, part));
  const day = dates.makeDay(dates.makeFullYear(year), month, date);
  return dates.makeDate(day, dates.makeTime(hour, minute, second, millisecond));
}

function getter(read: (time: number) => number): HostEntry {
  return {
    call(context, self) {
      if (!isDate(self)) throwError(context, "TypeError", "this is not a Date object.");
      return self.time !== self.time ? NaN : read(self.time);
    },
  };
}

function formatter(name: string, write: (time: number) => string): HostEntry {
  return {
    call(context, self) {
      const { time } = dateOf(context, self, name);
      context.charge(10, 64);
      return time !== time ? "Invalid Date" : write(time);
    },
  };
}
