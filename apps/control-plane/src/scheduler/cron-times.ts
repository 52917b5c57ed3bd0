import { Cron, CronPattern } from "croner";
import type { Zone } from "./zone.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** What clocks show is at most so far from UTC, and on the other side. */
const EAST_MS_MAX = 15 * HOUR_MS;
const WEST_MS_MAX = 13 * HOUR_MS;

/** Times are looked for by what clocks show, so croner knows no zone: its nextRun takes 17 µs then, and 340 with one. */
const SHOWN = { utcOffset: 0, paused: true, mode: "5-or-6-parts" } as const;

/**
 * When a cron expression is due, in a time zone. Croner says which wall times match; when these are, is said here: with a zone
 * of its own it leaves out the second of two equal hours, so that what is due every minute is not for an hour, and of two
 * times in an hour that is left out it knows one.
 *
 * An expression for every hour follows the clock: it is due whenever the clock shows such a time, so twice if it shows it
 * twice, and never if it never does. One for certain hours is due once for each of them: the first time that the clock shows it,
 * and if it never does, when the clock is put forward over it.
 */
export class CronTimes {
  readonly #cron: Cron;
  readonly #zone: Zone;
  readonly #everyHour: boolean;

  /** Throws a TypeError if the expression is malformed. */
  constructor(expression: string, zone: Zone) {
    const starred = withStars(expression);
    this.#cron = new Cron(starred, SHOWN);
    this.#zone = zone;
    this.#everyHour = new CronPattern(starred).hour.every((is) => is === 1);
  }

  /** The first after a time. Null: there is none. */
  next(after: number): number | null {
    return this.#everyHour ? this.#nextShown(after) : this.#nextOnce(after);
  }

  #nextShown(after: number): number | null {
    let from = after;
    let offset = this.#zone.offsetAt(from);
    let wall = from + offset;
    for (;;) {
      const shown = this.#wallAfter(wall);
      if (shown === null) return null;
      const at = shown - offset;
      const change = this.#zone.changeBetween(from, Math.min(at, from + 2 * DAY_MS));
      if (change !== null) {
        from = change;
        offset = this.#zone.offsetAt(from);
        wall = from + offset - 1;
      } else if (at - from <= 2 * DAY_MS) {
        return at;
      } else {
        // No clock shows it before: what it shows in between matches nowhere.
        from = at - EAST_MS_MAX - WEST_MS_MAX;
        offset = this.#zone.offsetAt(from);
        wall = from + offset;
      }
    }
  }

  #nextOnce(after: number): number | null {
    const offset = this.#zone.offsetAt(after);
    let wall = after + offset;
    const change = this.#zone.changeBetween(after - DAY_MS, after);
    if (change !== null) {
      // What the clock shows again after it was put back has been due.
      wall = Math.max(wall, change + this.#zone.offsetAt(change - 1) - 1);
    }
    const shown = this.#wallAfter(wall);
    return shown === null ? null : this.#firstShown(shown);
  }

  /** When the clock first shows it; if it never does, when it is put forward over it. */
  #firstShown(wall: number): number {
    const from = wall - EAST_MS_MAX;
    const to = wall + WEST_MS_MAX;
    const before = wall - this.#zone.offsetAt(from);
    const change = this.#zone.changeBetween(from, to);
    if (change === null || before < change) return before;
    return Math.max(change, wall - this.#zone.offsetAt(to));
  }

  #wallAfter(wall: number): number | null {
    try {
      return this.#cron.nextRun(new Date(wall))?.getTime() ?? null;
    } catch (error) {
      // It looks through thousands of years, each month inside the one before: the stack is full before it has found none.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }
}

/**
 * Elsewhere a question mark is a day that is left open, of the month or of the week. Croner takes it for all of them, but then for
 * one that is given, so that `0 9 ? * MON` would be due every day.
 */
function withStars(expression: string): string {
  return expression.replaceAll(/(?<!\S)\?(?!\S)/g, "*");
}
