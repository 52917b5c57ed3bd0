import { TIME_MAX } from "@cairnjs/ir";

/**
 * ECMA-262's time values and time arithmetic, as V8 11.3 (Node 20) does them under UTC: V8 gives up on years beyond
 * ±1,000,000 and months beyond ±10,000,000 where the specification goes on. The time zone is UTC, so local time
 * needs no functions of its own. NaN in, NaN out.
 */
const MS_PER_DAY = 86_400_000;
const MS_PER_HOUR = 3_600_000;
const MS_PER_MINUTE = 60_000;
const MS_PER_SECOND = 1_000;
const YEAR_MAX = 1_000_000;
const MONTH_MAX = 10_000_000;

export function day(time: number): number {
  return Math.floor(time / MS_PER_DAY);
}

export function timeWithinDay(time: number): number {
  return modulo(time, MS_PER_DAY);
}

export function yearFromTime(time: number): number {
  return civilFromDay(day(time)).year;
}

/** 0 is January. */
export function monthFromTime(time: number): number {
  return civilFromDay(day(time)).month;
}

/** The day of the month, from 1. */
export function dateFromTime(time: number): number {
  return civilFromDay(day(time)).date;
}

/** 0 is Sunday. */
export function weekDay(time: number): number {
  return modulo(day(time) + 4, 7);
}

export function hourFromTime(time: number): number {
  return Math.floor(timeWithinDay(time) / MS_PER_HOUR);
}

export function minuteFromTime(time: number): number {
  return modulo(Math.floor(timeWithinDay(time) / MS_PER_MINUTE), 60);
}

export function secondFromTime(time: number): number {
  return modulo(Math.floor(timeWithinDay(time) / MS_PER_SECOND), 60);
}

export function millisecondFromTime(time: number): number {
  return modulo(time, MS_PER_SECOND);
}

export function makeTime(hour: number, minute: number, second: number, millisecond: number): number {
  if (!Number.isFinite(hour) || !Number.isFinite(minute)) return NaN;
  if (!Number.isFinite(second) || !Number.isFinite(millisecond)) return NaN;
  return (
    Math.trunc(hour) * MS_PER_HOUR +
    Math.trunc(minute) * MS_PER_MINUTE +
    Math.trunc(second) * MS_PER_SECOND +
    Math.trunc(millisecond)
  );
}

export function makeDay(year: number, month: number, date: number): number {
  if (!(Math.abs(year) <= YEAR_MAX && Math.abs(month) <= MONTH_MAX && Number.isFinite(date))) return NaN;
  const months = Math.trunc(month);
  const monthInYear = modulo(months, 12);
  const fullYear = Math.trunc(year) + (months - monthInYear) / 12;
  const leap = (fullYear % 4 === 0 && fullYear % 100 !== 0) || fullYear % 400 === 0;
  const dayInYear = DAYS_BEFORE_MONTH[monthInYear]! + (leap && monthInYear > 1 ? 1 : 0);
  return daysBeforeYear(fullYear) + dayInYear - 1 + Math.trunc(date);
}

export function makeDate(dayNumber: number, time: number): number {
  if (!Number.isFinite(dayNumber) || !Number.isFinite(time)) return NaN;
  return dayNumber * MS_PER_DAY + time;
}

/** The constructor's and Date.UTC's reading of a year: 0 to 99 count from 1900. */
export function makeFullYear(year: number): number {
  const whole = Math.trunc(year);
  return whole >= 0 && whole <= 99 ? 1900 + whole : year;
}

export function timeClip(time: number): number {
  if (!(Math.abs(time) <= TIME_MAX)) return NaN;
  // Adding zero turns -0 into 0.
  return Math.trunc(time) + 0;
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** A multiple of 400 less one, so that the years of every valid time value count from a positive number. */
const YEAR_SHIFT = 399_999;
const SHIFTED_EPOCH_DAY = shiftedDaysBefore(1970);

/** Years before -399,999 are off by a day or so: V8's quotients truncate there too, and so do these. */
function daysBeforeYear(year: number): number {
  return shiftedDaysBefore(year) - SHIFTED_EPOCH_DAY;
}

function shiftedDaysBefore(year: number): number {
  const shifted = year + YEAR_SHIFT;
  return 365 * shifted + Math.trunc(shifted / 4) - Math.trunc(shifted / 100) + Math.trunc(shifted / 400);
}

/**
 * The date of a day number, counting from March so that the leap day comes last in its year, 4-year and 400-year
 * cycle.
 */
export function civilFromDay(dayNumber: number): { year: number; month: number; date: number } {
  const days = dayNumber + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const leapDays = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const nextYear = monthFromMarch >= 10;
  return {
    year: yearOfEra + era * 400 + (nextYear ? 1 : 0),
    month: nextYear ? monthFromMarch - 10 : monthFromMarch + 2,
    date,
  };
}

function modulo(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}
