import type { EndedRun } from "../runloop/outside.ts";
import { BoundedNames } from "./bounded-names.ts";

/** What a process counts beside its runloops, since it began. */
const COUNTED = [
  /** Due times of schedules: started, passed over since a run lived, missed, and those that could not be started. */
  "schedulesFired",
  "schedulesSkipped",
  "schedulesMissed",
  "schedulesFailed",
  /** Events for others: taken by a subscriber, refused by one, and given up. */
  "eventsTaken",
  "eventsRefused",
  "eventsDead",
  /** Told to whoever opened it. */
  "warnings",
] as const;
type Counted = (typeof COUNTED)[number];

/** Runs of so many types are counted apart. */
const TYPES_MAX = 100;

/** Says that something has happened so many times. */
export type Count = (what: Counted, count: number) => void;

export class EngineTally {
  readonly #counts = new Map<Counted, number>(COUNTED.map((what) => [what, 0]));
  readonly #types = new BoundedNames(TYPES_MAX);
  /** By type: those that were started by requests of this process, schedules and children not among them. */
  readonly startedRuns = new Map<string, number>();
  /** By type and status: those whose end was committed in this process. */
  readonly endedRuns = new Map<string, Map<EndedRun["status"], number>>();

  readonly add: Count = (what, count) => {
    this.#counts.set(what, this.count(what) + count);
  };

  count(what: Counted): number {
    return this.#counts.get(what)!;
  }

  started(types: readonly string[]): void {
    for (const type of types) increase(this.startedRuns, this.#types.shown(type));
  }

  ended(runs: readonly EndedRun[]): void {
    for (const { type, status } of runs) {
      const shown = this.#types.shown(type);
      let statuses = this.endedRuns.get(shown);
      if (statuses === undefined) this.endedRuns.set(shown, (statuses = new Map()));
      increase(statuses, status);
    }
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
