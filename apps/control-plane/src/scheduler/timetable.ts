import { CronTimes } from "./cron-times.ts";
import { Zone } from "./zone.ts";

/** When something is due. */
export type Timing =
  | { readonly cron: string; readonly timeZone: string }
  /** At the anchor, and every so long after it. */
  | { readonly everyMs: number; readonly anchorMs: number };

export interface Times {
  /** The first after a time, in milliseconds since the epoch. Null: there is none. */
  next(after: number): number | null;
}

const KEPT_MAX = 10_000;

/** Owns: expressions and zones that were read. */
export class Timetable {
  readonly #times = new Map<string, Times>();
  readonly #zones = new Map<string, Zone>();

  /** Throws if the expression or the zone is none. */
  times(timing: Timing): Times {
    if ("everyMs" in timing) return { next: (after) => nextOfInterval(timing, after) };
    const key = `${timing.timeZone} ${timing.cron}`;
    let times = this.#times.get(key);
    if (times === undefined) {
      times = new CronTimes(timing.cron, this.#zone(timing.timeZone));
      if (this.#times.size >= KEPT_MAX) this.#times.clear();
      this.#times.set(key, times);
    }
    return times;
  }

  #zone(name: string): Zone {
    let zone = this.#zones.get(name);
    if (zone === undefined) {
      zone = new Zone(name);
      this.#zones.set(name, zone);
    }
    return zone;
  }
}

function nextOfInterval({ everyMs, anchorMs }: Extract<Timing, { everyMs: number }>, after: number): number {
  const passed = Math.max(0, Math.floor((after - anchorMs) / everyMs) + 1);
  return anchorMs + passed * everyMs;
}

/** The first ones after a time. */
export function nextTimes(timing: Timing, after: number, count: number, timetable = new Timetable()): number[] {
  const times = timetable.times(timing);
  const found: number[] = [];
  for (let at = times.next(after); at !== null && found.length < count; at = times.next(at)) found.push(at);
  return found;
}

/** The last one that is not after a time, of one that is not: found by halves, since there may be millions in between. */
export function lastTime(times: Times, first: number, until: number): number {
  let due = first;
  let none = until;
  while (none - due > 1) {
    const middle = Math.floor((due + none) / 2);
    const next = times.next(middle);
    if (next !== null && next <= until) due = next;
    else none = middle;
  }
  const last = times.next(due);
  return last !== null && last <= until ? last : due;
}
