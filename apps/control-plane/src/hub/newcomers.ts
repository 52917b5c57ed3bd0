import { segmentsOf, type ServedNames } from "./names.ts";

/** Workers that come in this time are told of together: after a deploy they all do. */
const TELL_AFTER_MS = 100;

export interface NewcomersOptions {
  readonly now: () => number;
  /** Workers are there for names that begin with these segments. */
  readonly tell: (namespace: string, segments: readonly string[]) => void;
}

/** Owns: which workers have come of whom nobody was told. */
export class Newcomers {
  readonly #options: NewcomersOptions;
  readonly #segments = new Map<string, Set<string>>();
  #since = 0;

  constructor(options: NewcomersOptions) {
    this.#options = options;
  }

  add(namespace: string, worker: ServedNames): void {
    if (this.#segments.size === 0) this.#since = this.#options.now();
    const known = this.#segments.get(namespace) ?? [];
    this.#segments.set(namespace, new Set([...known, ...segmentsOf(worker)]));
  }

  tick(): void {
    if (this.#segments.size === 0 || this.#options.now() - this.#since < TELL_AFTER_MS) return;
    const all = [...this.#segments];
    this.#segments.clear();
    for (const [namespace, segments] of all) this.#options.tell(namespace, [...segments]);
  }
}
