const MINUTE_MS = 60_000;
const OF_ONE_MAX = 60;
/** Of all of a namespace, however many they are. */
const OF_NAMESPACE_MAX = 1_000;
/** That have a count of their own; those beyond have one together. */
const NAMESPACES_MAX = 1_000;
/** No namespace is called this. */
const OTHERS = "";

/** Owns: how often who was refused where in this minute. So nobody fills the log with what he was not let do, and nobody keeps what others do out of it. */
export class Refusals {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  readonly #ofNamespaces = new Map<string, number>();
  #began: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#began = this.#now();
  }

  /** Whether another one is written down; `last`: the next ones of this minute are not. */
  count(namespace: string, who: string): "written" | "last" | "left out" {
    if (this.#now() - this.#began >= MINUTE_MS) {
      this.#counts.clear();
      this.#ofNamespaces.clear();
      this.#began = this.#now();
    }
    const hasOwn = this.#ofNamespaces.has(namespace) || this.#ofNamespaces.size < NAMESPACES_MAX;
    const where = hasOwn ? namespace : OTHERS;
    const all = (this.#ofNamespaces.get(where) ?? 0) + 1;
    const count = (this.#counts.get(who) ?? 0) + 1;
    if (count > OF_ONE_MAX || all > OF_NAMESPACE_MAX) return "left out";
    this.#counts.set(who, count);
    this.#ofNamespaces.set(where, all);
    return count === OF_ONE_MAX || all === OF_NAMESPACE_MAX ? "last" : "written";
  }
}
