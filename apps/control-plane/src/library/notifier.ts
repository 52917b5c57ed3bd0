import type pg from "pg";
import { openConnection } from "../store/connection.ts";

export type Channel = "cairn_work" | "cairn_mail" | "cairn_ended";

const REOPEN_MS = 500;
/** Between notifications under load; the first one goes at once. Each is a transaction, and others wait for its lock. */
const SPACING_MS = 5;

export interface NotifierOptions {
  readonly url: string;
  /** For LISTEN: the same, unless a pooler stands before the database. */
  readonly listenUrl: string;
  readonly heard: (channel: Channel) => void;
  readonly warn: (message: string, error: unknown) => void;
}

/**
 * Tells other processes that there is work, mail or an end, and hears of theirs. Never in the transaction that made it
 * so: NOTIFY would hold a lock of the whole cluster while it commits. However often something is to be told, one
 * notification a channel is on its way at a time.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #pending = new Set<Channel>();
  #sender: pg.Client | null = null;
  #listener: pg.Client | null = null;
  #senderId = 0;
  #sending = false;
  #closed = false;
  #reopen: NodeJS.Timeout | null = null;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const listener = await openConnection(this.#options.listenUrl, "listener");
    this.#listener = listener;
    // What this process tells others it knows itself: a look at all runs that are waited for would cost each time.
    listener.on("notification", ({ channel, processId }) => {
      if (processId !== this.#senderId) this.#options.heard(channel as Channel);
    });
    listener.on("end", () => this.#comeBack());
    await listener.query("LISTEN cairn_work; LISTEN cairn_mail; LISTEN cairn_ended");
    const sender = await openConnection(this.#options.url, "notifier");
    const { rows } = await sender.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    this.#senderId = rows[0]!.pid;
    this.#sender = sender;
  }

  notify(channel: Channel): void {
    this.#pending.add(channel);
    if (!this.#sending) void this.#send();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#reopen !== null) clearTimeout(this.#reopen);
    for (const client of [this.#sender, this.#listener]) await client?.end().catch(() => {});
  }

  async #send(): Promise<void> {
    this.#sending = true;
    try {
      while (this.#pending.size > 0 && this.#sender !== null) {
        const [channel] = this.#pending;
        this.#pending.delete(channel!);
        await this.#sender.query(`NOTIFY ${channel}`);
        if (this.#pending.size > 0) await new Promise((resolve) => setTimeout(resolve, SPACING_MS));
      }
    } catch (error) {
      if (!this.#closed) this.#options.warn("Other processes could not be told", error);
    } finally {
      this.#sending = false;
    }
  }

  #comeBack(): void {
    if (this.#closed || this.#reopen !== null) return;
    void this.#sender?.end().catch(() => {});
    this.#sender = null;
    this.#reopen = setTimeout(() => {
      this.#reopen = null;
      this.open().then(
        // What was said in the meantime was not heard.
        () => (["cairn_work", "cairn_mail", "cairn_ended"] as const).forEach((channel) => this.#options.heard(channel)),
        () => this.#comeBack(),
      );
    }, REOPEN_MS);
  }
}
