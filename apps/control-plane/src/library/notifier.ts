import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { type Channel, CHANNELS } from "../runloop/outside.ts";
import { openConnection } from "../store/connection.ts";
import type { Warn } from "../warn.ts";

const REOPEN_MS = 500;
/** Between notifications under load; the first one goes at once. Each is a transaction, and others wait for its lock. */
const SPACING_MS = 5;

export interface NotifierOptions {
  readonly url: string;
  /** For LISTEN: the same, unless a pooler stands before the database, and then null if there is no other way. */
  readonly listenUrl: string | null;
  readonly heard: (channel: Channel) => void;
  /** Whether others are heard from now on; while they are not, one has to look. */
  readonly listening: (isListening: boolean) => void;
  readonly warn: Warn;
}

/**
 * Tells other processes that there is work, mail, an end or something to watch, and hears of theirs. Never in the transaction that made it
 * so: NOTIFY would hold a lock of the whole cluster while it commits. However often something is to be told, one
 * notification a channel is on its way at a time.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #pending = new Set<Channel>();
  #client: pg.Client | null = null;
  #sending = false;
  #closed = false;
  #reopen: NodeJS.Timeout | null = null;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { url, listenUrl, listening } = this.#options;
    const client = await openConnection(listenUrl ?? url, "notifier");
    try {
      if (listenUrl !== null) await this.#listen(client);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    if (this.#closed) return client.end();
    client.on("end", () => this.#lost());
    this.#client = client;
    listening(listenUrl !== null);
    if (!this.#sending) void this.#send();
  }

  async #listen(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const own = rows[0]!.pid;
    // What this process tells others it knows itself: a look at all runs that are waited for would cost each time.
    client.on("notification", ({ channel, processId }) => {
      if (processId !== own) this.#options.heard(channel as Channel);
    });
    await client.query(CHANNELS.map((channel) => `LISTEN ${channel}`).join("; "));
  }

  notify(channel: Channel): void {
    this.#pending.add(channel);
    if (!this.#sending) void this.#send();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#reopen !== null) clearTimeout(this.#reopen);
    await this.#client?.end().catch(() => {});
  }

  async #send(): Promise<void> {
    this.#sending = true;
    try {
      while (this.#pending.size > 0 && this.#client !== null) {
        const [channel] = this.#pending;
        this.#pending.delete(channel!);
        await this.#client.query(`NOTIFY ${channel}`);
        if (this.#pending.size > 0) await delay(SPACING_MS);
      }
    } catch (error) {
      if (!this.#closed) this.#options.warn("Other processes could not be told", error);
    } finally {
      this.#sending = false;
    }
  }

  #lost(): void {
    this.#client = null;
    if (this.#closed) return;
    this.#options.listening(false);
    this.#comeBack();
  }

  #comeBack(): void {
    if (this.#closed) return;
    this.#reopen = setTimeout(() => {
      this.open().then(
        // What was said in the meantime was not heard.
        () => CHANNELS.forEach((channel) => this.#options.heard(channel)),
        () => this.#comeBack(),
      );
    }, REOPEN_MS);
  }
}
