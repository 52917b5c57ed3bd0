import { isFor } from "../runloop/event-pattern.ts";
import { allSubscriptions } from "../store/subscriptions.ts";
import type { Queryable } from "../store/statement.ts";
import { Subscriber, type SubscriberOptions } from "./subscriber.ts";

/** Answers that are kept; types may be made of data. */
const KEPT_MAX = 10_000;

/** Owns: the subscribers of all namespaces, as of a state of their table. */
export class Subscribers {
  readonly #options: SubscriberOptions;
  #byId = new Map<number, Subscriber>();
  readonly #wanting = new Map<string, readonly Subscriber[]>();
  #state: string | null = null;

  constructor(options: SubscriberOptions) {
    this.#options = options;
  }

  get all(): Subscriber[] {
    return [...this.#byId.values()];
  }

  find(id: number): Subscriber | undefined {
    return this.#byId.get(id);
  }

  /** Who wants events of a type. */
  wanting(namespace: string, type: string): readonly Subscriber[] {
    const key = `${namespace}/${type}`;
    let found = this.#wanting.get(key);
    if (found === undefined) {
      const wants = ({ about }: Subscriber): boolean =>
        about.namespace === namespace && about.types.some((pattern) => isFor(pattern, type));
      found = this.all.filter(wants);
      if (this.#wanting.size >= KEPT_MAX) this.#wanting.clear();
      this.#wanting.set(key, found);
    }
    return found;
  }

  /** The table was seen in this state: reads it again if that is another one. Returns whether it was. */
  async see(client: Queryable, state: string): Promise<boolean> {
    if (state === this.#state) return false;
    const all = await allSubscriptions(client);
    // Several may look at the same time: those that are known are taken after the answer.
    const former = this.#byId;
    const byId = new Map<number, Subscriber>();
    for (const about of all) {
      const known = former.get(about.id);
      const same = known?.about.revision === about.revision;
      byId.set(about.id, same ? known : new Subscriber(about, this.#options));
    }
    this.#byId = byId;
    this.#wanting.clear();
    this.#state = state;
    for (const [id, subscriber] of former) if (byId.get(id) !== subscriber) void subscriber.close();
    return true;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((subscriber) => subscriber.close()));
  }
}
