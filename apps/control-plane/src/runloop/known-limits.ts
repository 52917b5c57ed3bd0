import { type ActionLimits, allLimits } from "../store/limits.ts";
import type { Queryable } from "../store/statement.ts";
import { ChangeCount } from "./change-count.ts";
import { type KeyOf, keyFunction } from "./limit-keys.ts";

/** Of an action that is limited. */
export interface KnownLimit extends ActionLimits {
  readonly concurrencyKey: KeyOf;
  readonly rateKey: KeyOf;
}

/**
 * Owns: what is known of limits. It is read when a version is loaded, since whoever registers one has registered its limits
 * before, and when a look, once a second, says that something has changed. So what has no limits costs nothing.
 */
export class KnownLimits {
  readonly #client: Queryable;
  #known = new Map<string, KnownLimit>();
  readonly #changes = new ChangeCount();

  constructor(client: Queryable) {
    this.#client = client;
  }

  /** Whether nothing was ever limited. */
  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  of(namespace: string, action: string): KnownLimit | null {
    if (this.#known.size === 0) return null;
    const found = this.#known.get(idOf(namespace, action));
    return found === undefined || (found.concurrency === null && found.rate === null) ? null : found;
  }

  async refresh(): Promise<void> {
    const known = new Map<string, KnownLimit>();
    for (const { namespace, action, concurrency, rate } of await allLimits(this.#client)) {
      const keys = { concurrencyKey: keyFunction(concurrency?.key), rateKey: keyFunction(rate?.key) };
      known.set(idOf(namespace, action), { concurrency, rate, ...keys });
    }
    this.#known = known;
  }

  /** How many changes there have been. */
  async notice(changes: number): Promise<void> {
    if (!this.#changes.isNews(changes)) return;
    await this.refresh();
  }
}

function idOf(namespace: string, action: string): string {
  return `${namespace}/${action}`;
}
