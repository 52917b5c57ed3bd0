import { makeDay, makeTime } from "./time-arithmetic.ts";

/** Up to three numbers and a month's name, whose meaning is settled when all have been read. */
export class DayFields {
  readonly #numbers: number[] = [];
  /** Set by a text in the ISO format: year, month, day, and no guess at the century. */
  iso = false;
  /** From 1. */
  namedMonth: number | undefined;

  get isEmpty(): boolean {
    return this.#numbers.length === 0;
  }

  add(number: number): boolean {
    if (this.#numbers.length === 3) return false;
    this.#numbers.push(number);
    return true;
  }

  /** The day number, or undefined for what is no date. NaN says that the year is out of range. */
  resolve(): number | undefined {
    if (this.isEmpty) return undefined;
    const [first = 1, second = 1, third = 1] = this.#numbers;
    let [year, month, date] = [first, second, third];
    if (this.namedMonth !== undefined) {
      month = this.namedMonth;
      [year, date] = isDayOfMonth(first) ? [second, first] : [first, second];
    } else if (!this.iso && isDayOfMonth(first)) {
      [month, date, year] = [first, second, third];
    }
    if (!isMonth(month) || !isDayOfMonth(date)) return undefined;
    return makeDay(this.iso ? year : guessCentury(year), month - 1, date);
  }
}

/** Hour, minute, second and millisecond, filled from the left. */
export class TimeFields {
  readonly #numbers: number[] = [];
  /** 0 for AM, 12 for PM. */
  hourOffset: number | undefined;

  get isEmpty(): boolean {
    return this.#numbers.length === 0;
  }

  isExpecting(number: number): boolean {
    const count = this.#numbers.length;
    return (count === 1 || count === 2 ? isSixtieth(number) : count === 3) && number <= 999;
  }

  add(number: number): boolean {
    if (this.#numbers.length === 4) return false;
    this.#numbers.push(number);
    return true;
  }

  addLast(number: number): void {
    this.add(number);
    while (this.#numbers.length < 4) this.add(0);
  }

  /** Milliseconds from the start of the day, or undefined for what is no time. */
  resolve(): number | undefined {
    const [first = 0, minute = 0, second = 0, millisecond = 0] = this.#numbers;
    let hour = first;
    if (this.hourOffset !== undefined) {
      if (hour > 12) return undefined;
      hour = (hour % 12) + this.hourOffset;
    }
    const within = isHour(hour) && isSixtieth(minute) && isSixtieth(second) && millisecond <= 999;
    const endOfDay = hour === 24 && minute === 0 && second === 0 && millisecond === 0;
    return within || endOfDay ? makeTime(hour, minute, second, millisecond) : undefined;
  }
}

/** An offset from UTC; without any, the time is local, which is UTC here. */
export class ZoneFields {
  #sign = 1;
  #hour: number | undefined;
  #minute: number | undefined;

  setHours(hours: number): void {
    this.set(hours < 0 ? -1 : 1, Math.abs(hours), 0);
  }

  /** Without a minute, the next number that can be one is taken for it. */
  set(sign: number, hour: number, minute: number | undefined): void {
    this.#sign = sign;
    this.#hour = hour;
    this.#minute = minute;
  }

  setMinute(minute: number): void {
    this.#minute = minute;
  }

  isExpecting(number: number): boolean {
    return this.#hour !== undefined && this.#minute === undefined && isSixtieth(number);
  }

  get isUTC(): boolean {
    return this.#hour === 0 && this.#minute === 0;
  }

  /** Milliseconds, or undefined when out of range. V8 counts the seconds in 32 bits, and lets them wrap. */
  resolve(): number | undefined {
    const seconds = (Math.imul(this.#hour ?? 0, 3600) + Math.imul(this.#minute ?? 0, 60)) | 0;
    return seconds < 0 ? undefined : this.#sign * seconds * 1000;
  }
}

export function isMonth(number: number): boolean {
  return number >= 1 && number <= 12;
}

export function isDayOfMonth(number: number): boolean {
  return number >= 1 && number <= 31;
}

export function isHour(number: number): boolean {
  return number <= 23;
}

/** A minute or a second. */
export function isSixtieth(number: number): boolean {
  return number <= 59;
}

function guessCentury(year: number): number {
  if (year < 0 || year > 99) return year;
  return year < 50 ? 2000 + year : 1900 + year;
}
