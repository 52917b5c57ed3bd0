import type { Worker, WorkerOptions } from "node:worker_threads";
import { RestartDelay, spawnThread } from "./spawn.ts";

export interface ThreadEvents<From> {
  /** What a thread is started with, each time. */
  options(): WorkerOptions;
  /** A thread has been started, and takes messages. */
  started(): void;
  hear(message: From): void;
  /** The thread went down with this. */
  failed(error: unknown): void;
  /** The thread is no more; another one follows unless it is being closed. */
  gone(): void;
}

/**
 * A thread of ours for as long as it is wanted: should it go down, another one is started.
 *
 * Owns: the worker, and when the next one is started. Asked to close, a thread says `closed` when it has done so, or ends.
 */
export class Thread<To extends { readonly kind: string }, From extends { readonly kind: string }> {
  readonly #name: "runloop" | "keeper";
  readonly #events: ThreadEvents<From>;
  readonly #delay = new RestartDelay();
  #worker: Worker | null = null;
  #restart: NodeJS.Timeout | null = null;
  #stopped = false;
  #closed: (() => void) | null = null;

  constructor(name: "runloop" | "keeper", events: ThreadEvents<From>) {
    this.#name = name;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  start(): void {
    const worker = spawnThread(this.#name, this.#events.options());
    this.#worker = worker;
    this.#restart = null;
    this.#delay.started();
    worker.on("message", (message: From) => this.#hear(message));
    worker.on("error", (error) => this.#events.failed(error));
    worker.on("exit", () => this.#gone());
    this.#events.started();
  }

  /** One that is to be started again is started now. */
  hurry(): void {
    if (this.#restart === null) return;
    clearTimeout(this.#restart);
    this.start();
  }

  /** Lost if there is no thread at the moment. */
  say(message: To | { readonly kind: "close" }): void {
    this.#worker?.postMessage(message);
  }

  /** No other thread follows this one. */
  stop(): void {
    this.#stopped = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
  }

  async close(): Promise<void> {
    this.stop();
    if (this.#worker === null) return;
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.say({ kind: "close" });
    });
  }

  #hear(message: From): void {
    if (message.kind === "closed") this.#closed?.();
    else this.#events.hear(message);
  }

  #gone(): void {
    this.#worker = null;
    this.#events.gone();
    this.#closed?.();
    if (!this.#stopped) this.#restart = setTimeout(() => this.start(), this.#delay.next());
  }
}
