import type { Retained } from "@cairnjs/schemas";
import { beginningIn, isPatternFor } from "../name-pattern.ts";
import type { RetentionRow } from "../store/retention-rules.ts";

/** How long things are kept where nobody has said anything, in milliseconds; null: for ever. */
export type UsualKeeps = Readonly<Record<Retained, number | null>>;

const DAY_MS = 24 * 60 * 60 * 1_000;

export const USUAL_KEEPS: UsualKeeps = {
  events: 30 * DAY_MS,
  outbox: 7 * DAY_MS,
  runs: null,
  deleted: 30 * DAY_MS,
  audit: 365 * DAY_MS,
};

/** How long what is kept: by rules of namespaces, else as usual. Of several rules for a type, the one that says most of it counts. */
export class Keeps {
  readonly #rules: readonly RetentionRow[];
  readonly #usual: UsualKeeps;

  constructor(rules: readonly RetentionRow[], usual: UsualKeeps) {
    // The type itself first, then the longest beginning.
    this.#rules = rules.toSorted((a, b) => weight(b.pattern) - weight(a.pattern));
    this.#usual = usual;
  }

  /** In milliseconds; null: for ever. */
  of(what: Retained, namespace: string, type: string): number | null {
    const rule = this.#rules.find(
      (each) => each.what === what && each.namespace === namespace && isPatternFor(each.pattern, type),
    );
    const usual = this.#usual[what];
    if (rule === undefined) return usual;
    // Rules are made by those who are in it: they only make it longer.
    return what === "audit" ? longer(rule.keepMs, usual) : rule.keepMs;
  }

  /** All lengths that something is kept for. */
  lengths(what: Retained): number[] {
    const all = [this.#usual[what], ...this.#rules.filter((each) => each.what === what).map(({ keepMs }) => keepMs)];
    return [...new Set(all)].filter((keepMs) => keepMs !== null).toSorted((a, b) => a - b);
  }
}

function longer(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

function weight(pattern: string): number {
  return beginningIn(pattern)?.length ?? Number.POSITIVE_INFINITY;
}
