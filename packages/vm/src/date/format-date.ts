import {
  civilFromDay,
  day,
  hourFromTime,
  millisecondFromTime,
  minuteFromTime,
  secondFromTime,
  weekDay,
} from "./time-arithmetic.ts";

/**
 * The texts of a valid time value, as the methods of Date of the same names write them under UTC. What an invalid
 * date says (a RangeError or "Invalid Date") is the caller's.
 */
export function toISOString(time: number): string {
  const { year, month, date } = civilFromDay(day(time));
  const isoYear = year >= 0 && year <= 9999 ? pad(year, 4) : `${year < 0 ? "-" : "+"}${pad(Math.abs(year), 6)}`;
  return `${isoYear}-${pad(month + 1, 2)}-${pad(date, 2)}T${clock(time)}.${pad(millisecondFromTime(time), 3)}Z`;
}

export function toUTCString(time: number): string {
  const { year, month, date } = civilFromDay(day(time));
  return `${WEEKDAYS[weekDay(time)]}, ${pad(date, 2)} ${MONTHS[month]} ${legacyYear(year)} ${clock(time)} GMT`;
}

export function toString(time: number): string {
  return `${toDateString(time)} ${toTimeString(time)}`;
}

export function toDateString(time: number): string {
  const { year, month, date } = civilFromDay(day(time));
  return `${WEEKDAYS[weekDay(time)]} ${MONTHS[month]} ${pad(date, 2)} ${legacyYear(year)}`;
}

export function toTimeString(time: number): string {
  return `${clock(time)} GMT+0000 (Coordinated Universal Time)`;
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function clock(time: number): string {
  return `${pad(hourFromTime(time), 2)}:${pad(minuteFromTime(time), 2)}:${pad(secondFromTime(time), 2)}`;
}

function legacyYear(year: number): string {
  return year < 0 ? `-${pad(-year, 4)}` : pad(year, 4);
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
