import { Readable } from "node:stream";
import type { DroppedReason } from "@cairnjs/schemas/rest";
import type { LiveBatch, LiveSource } from "../../live/live-source.ts";
import type { Warn } from "../../warn.ts";
import type { LiveClients } from "./live-clients.ts";

/** What waits for a client beside what the system has taken. */
const BUFFER_BYTES = 64 * 1024;
/** Who was told that he is dropped has so long to take it. */
const FAREWELL_MS = 15_000;

/** What the id of an end has behind the cursor: who comes back with it has seen all. */
export const END_MARK = "-end";

export interface EventStreamOptions {
  readonly source: LiveSource;
  readonly clients: LiveClients;
  readonly warn: Warn;
}

/**
 * Server-sent events of a source. It is asked for more when the client has taken what there was: nothing is kept for whoever is slow, and if he
 * is so for long, he is dropped.
 */
export class EventStream extends Readable {
  readonly #options: EventStreamOptions;
  readonly #heart: NodeJS.Timeout;
  #leave: () => void = () => {};
  #slow: NodeJS.Timeout | null = null;
  #farewell: NodeJS.Timeout | null = null;
  /** There is room for more. It is said once, maybe while something is pushed. */
  #isWanted = false;
  #isPumping = false;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    super({ highWaterMark: BUFFER_BYTES });
    this.#options = options;
    this.#heart = setInterval(() => this.#beat(), options.clients.limits.heartbeatMs);
    // The first bytes show that it works; and where to go on, whatever happens next.
    this.#beat();
  }

  /** What is to be called once the client has left. */
  leaving(leave: () => void): void {
    this.#leave = leave;
  }

  giveUp(reason: DroppedReason): void {
    if (this.#isOver) return;
    this.#options.clients.wasDropped(reason);
    // Browsers come back by themselves: of one that is of no use, they forget the cursor.
    const forget = reason === "unknown cursor" || reason === "expired" ? "id:\n" : "";
    this.#finish(`${forget}event: dropped\ndata: ${JSON.stringify({ reason })}\n\n`);
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.#slow !== null) clearTimeout(this.#slow);
    this.#slow = null;
    if (!this.#isPumping && !this.#isOver) void this.#pump();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#isOver = true;
    clearInterval(this.#heart);
    for (const timer of [this.#slow, this.#farewell]) if (timer !== null) clearTimeout(timer);
    this.#options.source.close();
    this.#leave();
    done(error);
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    try {
      while (this.#isWanted && !this.#isOver) {
        const batch = await this.#options.source.next();
        if (!this.#isOver) this.#tell(batch);
      }
    } catch (error) {
      this.#options.warn("What someone watches cannot be told", error);
      this.destroy();
    } finally {
      this.#isPumping = false;
    }
  }

  #tell(batch: LiveBatch): void {
    if (batch.kind === "dropped") return this.giveUp(batch.reason);
    if (batch.kind === "end") {
      const id = `${this.#options.source.cursor ?? ""}${END_MARK}`;
      return this.#finish(`id: ${id}\nevent: end\ndata: {}\n\n`);
    }
    this.#options.clients.sent(batch.items.length);
    let text = "";
    for (const item of batch.items) text += `id: ${item.cursor}\ndata: ${item.text}\n\n`;
    this.#isWanted = false;
    if (this.push(text)) this.#isWanted = true;
    if (!this.#isWanted) this.#slow ??= setTimeout(() => this.giveUp("slow"), this.#options.clients.limits.slowMs);
  }

  #finish(text: string): void {
    this.#isOver = true;
    clearInterval(this.#heart);
    this.push(text);
    this.push(null);
    this.#farewell = setTimeout(() => this.destroy(), FAREWELL_MS);
  }

  /** An id without data is no event: who comes back need not go through all that was not for him. */
  #beat(): void {
    if (this.#isOver || this.#slow !== null) return;
    const { cursor } = this.#options.source;
    this.push(cursor === null ? ":\n\n" : `:\nid: ${cursor}\n\n`);
  }
}
