import type pg from "pg";
import { openConnection } from "../store/connection.ts";

/** A connection that is opened when it is wanted, and again after it broke. */
export class LastingConnection {
  readonly #open: () => Promise<pg.Client>;
  #client: pg.Client | null = null;
  #opening: Promise<pg.Client> | null = null;
  #openedAt = 0;
  #opened = 0;

  constructor(url: string, purpose: string, settings: readonly string[] = []) {
    this.#open = () => openConnection(url, purpose, settings);
  }

  /** Of the connection that there is. */
  get ageMs(): number {
    return this.#client === null ? 0 : performance.now() - this.#openedAt;
  }

  /** Whether there was one before this. */
  get isReopened(): boolean {
    return this.#opened > 1;
  }

  async client(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client;
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    const client = await this.#opening;
    if (this.#client !== client) {
      this.#openedAt = performance.now();
      this.#opened += 1;
    }
    this.#client = client;
    return client;
  }

  /** What is asked fails at once, whatever becomes of it; `close` waits until it is answered. */
  breakOff(): void {
    const client = this.#client as unknown as { readonly connection: pg.Connection } | null;
    this.#client = null;
    client?.connection.stream.destroy();
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }
}
