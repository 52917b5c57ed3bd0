import { workflowsOf } from "../runloop/pools.ts";

/** So long runs whose calls others can make are left to them. */
const LEFT_FOR_MS = 10_000;

/** Owns: until when workflows of a namespace are left to other control planes, while it has no workers here. */
export class LeftToOthers {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(namespace: string): void {
    this.#until.set(namespace, this.#now() + LEFT_FOR_MS);
  }

  /** Takes them out of the room for jobs. `served`: namespaces that have workers here, and what these lack comes to others sooner or later. */
  takeFrom(rooms: Map<string, number>, served: ReadonlySet<string>): void {
    for (const namespace of this.#until.keys()) if (!served.has(namespace)) rooms.set(workflowsOf(namespace), 0);
  }

  /** Whether the time of one is over. */
  tick(): boolean {
    const over = [...this.#until].filter(([, until]) => until <= this.#now());
    for (const [namespace] of over) this.#until.delete(namespace);
    return over.length > 0;
  }
}
