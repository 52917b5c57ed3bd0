import { namespaceOfPool } from "../runloop/pools.ts";
import { lookForNews, type News } from "../store/look-for-news.ts";
import type { Queryable } from "../store/statement.ts";

/**
 * After a letter or an event was announced, it is looked for so often, a quarter of a second together: its transaction
 * may not have ended. What takes longer is found by those who look once a second whatever happens.
 */
const LOOKS_AFTER_NEWS = 6;

export interface WatchOptions {
  readonly client: Queryable;
  /** Null: any. */
  readonly namespace: string | null;
  readonly work: () => void;
  readonly mail: () => void;
  readonly ended: () => Promise<void>;
}

/** Owns: what there was at the last look. Does for a process that hears nothing what notifications do for others. */
export class Watch {
  readonly #options: WatchOptions;
  #last: News | null = null;
  #hadWork = false;
  #mailLooks = 0;
  #eventLooks = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Whether there is something that there was not before. While nothing happens, it is one statement. */
  async look(): Promise<boolean> {
    const { client, namespace, work, mail, ended } = this.#options;
    const news = await lookForNews(client);
    const isMail = news.lastMail !== this.#last?.lastMail;
    const isEvent = news.lastEvent !== this.#last?.lastEvent;
    const hasWork = news.pools.some((pool) => namespace === null || namespaceOfPool(pool) === namespace);
    const isNew = isMail || isEvent || (hasWork && !this.#hadWork);
    this.#last = news;
    this.#hadWork = hasWork;
    this.#mailLooks = isMail ? LOOKS_AFTER_NEWS : Math.max(0, this.#mailLooks - 1);
    this.#eventLooks = isEvent ? LOOKS_AFTER_NEWS : Math.max(0, this.#eventLooks - 1);
    if (this.#mailLooks > 0) mail();
    else if (hasWork) work();
    if (this.#eventLooks > 0) await ended();
    return isNew;
  }
}
