const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
/** Of these there are at most two a year that differ. */
const DAYS_KEPT_MAX = 4_000;

/** `2026-03-29, 03:00:00`, whatever the locale of the process. */
const FIELDS = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;

/**
 * Owns: what is known of the offsets of a time zone from UTC. The data is that of Node.js. Times are milliseconds since the
 * epoch; a wall time is what a clock there shows, as if it were one of UTC.
 */
export class Zone {
  readonly #format: Intl.DateTimeFormat | null;
  /** Of whole days of UTC; NaN: the clocks are changed on that day. */
  readonly #days = new Map<number, number>();

  /** Throws a RangeError if there is no such zone. */
  constructor(name: string) {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    this.#format = name === "UTC" ? null : format;
  }

  offsetAt(ms: number): number {
    if (this.#format === null) return 0;
    const day = Math.floor(ms / DAY_MS);
    let known = this.#days.get(day);
    if (known === undefined) {
      const first = this.#read(day * DAY_MS);
      known = first === this.#read((day + 1) * DAY_MS - 1) ? first : Number.NaN;
      if (this.#days.size >= DAYS_KEPT_MAX) this.#days.clear();
      this.#days.set(day, known);
    }
    return Number.isNaN(known) ? this.#read(ms) : known;
  }

  /** The first moment after `from`, and not after `to`, from which on the offset is another one. They are some days apart at most. */
  changeBetween(from: number, to: number): number | null {
    const before = this.offsetAt(from);
    if (this.offsetAt(to) === before) return null;
    // Clocks are changed at whole seconds.
    let same = Math.floor(from / SECOND_MS);
    let changed = Math.ceil(to / SECOND_MS);
    while (changed - same > 1) {
      const middle = Math.floor((same + changed) / 2);
      if (this.offsetAt(middle * SECOND_MS) === before) same = middle;
      else changed = middle;
    }
    return changed * SECOND_MS;
  }

  #read(ms: number): number {
    const [, month, day, year, hour, minute, second] = FIELDS.exec(this.#format!.format(ms))!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(ms / SECOND_MS) * SECOND_MS;
  }
}
