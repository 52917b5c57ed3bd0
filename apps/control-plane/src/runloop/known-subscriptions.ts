import { allPatterns } from "../store/subscriptions.ts";
import type { Queryable } from "../store/statement.ts";
import { ChangeCount } from "./change-count.ts";
import { isFor } from "./event-pattern.ts";

/** Answers that are kept; types may be made of data. */
const KEPT_MAX = 10_000;

/**
 * Owns: which types of events someone wants, by namespace, as of a look within the last second or two. So what nobody wants
 * costs nothing.
 */
export class KnownSubscriptions {
  readonly #client: Queryable;
  #patterns = new Map<string, readonly string[]>();
  readonly #answers = new Map<string, boolean>();
  readonly #changes = new ChangeCount();

  constructor(client: Queryable) {
    this.#client = client;
  }

  /** Whether nobody wants anything. */
  get isEmpty(): boolean {
    return this.#patterns.size === 0;
  }

  isWanted(namespace: string, type: string): boolean {
    const patterns = this.#patterns.get(namespace);
    if (patterns === undefined) return false;
    const key = `${namespace}/${type}`;
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      answer = patterns.some((pattern) => isFor(pattern, type));
      if (this.#answers.size >= KEPT_MAX) this.#answers.clear();
      this.#answers.set(key, answer);
    }
    return answer;
  }

  /** How many changes there have been. */
  async notice(changes: number): Promise<void> {
    if (!this.#changes.isNews(changes)) return;
    const patterns = new Map<string, string[]>();
    for (const { namespace, types } of await allPatterns(this.#client)) {
      patterns.set(namespace, [...(patterns.get(namespace) ?? []), ...types]);
    }
    this.#patterns = patterns;
    this.#answers.clear();
  }
}
