/** `Date` in UTC without the host's: time arithmetic, parsing and formatting of time values. */
export { toDateString, toISOString, toString, toTimeString, toUTCString } from "./format-date.ts";
export { parseDate } from "./parse-date.ts";
export {
  dateFromTime,
  day,
  hourFromTime,
  makeDate,
  makeDay,
  makeFullYear,
  makeTime,
  millisecondFromTime,
  minuteFromTime,
  monthFromTime,
  secondFromTime,
  timeClip,
  timeWithinDay,
  weekDay,
  yearFromTime,
} from "./time-arithmetic.ts";
