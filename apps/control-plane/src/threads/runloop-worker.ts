import type { Worker } from "node:worker_threads";
import type { SharedCells } from "../runloop/shared-cells.ts";
import { EngineUnavailable } from "../runloop/lives.ts";
import type { CallId, CallOutcome, Outside } from "../runloop/outside.ts";
import type { NewRun, StartedRun } from "../store/start-runs.ts";
import { type FromRunloop, type RunloopThreadData, type ToRunloop } from "./messages.ts";
import { unpackError } from "./packed-error.ts";
import { RestartDelay, spawnThread } from "./spawn.ts";

/** A runloop, wherever it runs. */
export interface RunloopPort {
  open(): Promise<void>;
  start(runs: readonly NewRun[]): Promise<StartedRun[]>;
  outcomes(outcomes: readonly CallOutcome[]): void;
  strangers(calls: readonly CallId[]): void;
  poke(): void;
  drain(): void;
  close(): Promise<void>;
}

export interface RunloopWorkerOptions extends Omit<RunloopThreadData, "cells"> {
  readonly memoryMb: number;
  readonly cells: SharedCells;
  readonly outside: Outside;
  /** Another life has begun. */
  readonly begun: () => void;
}

/** Most of what a step makes lives until its commit: with little room for the young, all of it would be copied. */
const YOUNG_SHARE = 3 / 16;

interface Request {
  readonly resolve: (runs: StartedRun[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A runloop in a thread with a memory limit. When a program takes the thread down, another one is started, and what it
 * held is taken over.
 */
export class RunloopWorker implements RunloopPort {
  readonly #options: RunloopWorkerOptions;
  #worker: Worker | null = null;
  readonly #requests = new Map<number, Request>();
  #lastRequest = 0;
  readonly #delay = new RestartDelay();
  #closing = false;
  #closed: (() => void) | null = null;
  #opened: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | null = null;

  constructor(options: RunloopWorkerOptions) {
    this.#options = options;
  }

  /** Rejects if the database cannot be used. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opened = { resolve, reject };
      this.#spawn();
    });
  }

  async start(runs: readonly NewRun[]): Promise<StartedRun[]> {
    const worker = this.#worker;
    if (worker === null) throw new EngineUnavailable("The runloop is being started again");
    const request = ++this.#lastRequest;
    return new Promise((resolve, reject) => {
      this.#requests.set(request, { resolve, reject });
      this.#say({ kind: "start", request, runs });
    });
  }

  outcomes(outcomes: readonly CallOutcome[]): void {
    this.#say({ kind: "outcomes", outcomes });
  }

  strangers(calls: readonly CallId[]): void {
    this.#say({ kind: "strangers", calls });
  }

  poke(): void {
    this.#say({ kind: "poke" });
  }

  drain(): void {
    this.#say({ kind: "drain" });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#worker === null) return;
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#say({ kind: "close" });
    });
  }

  #say(message: ToRunloop): void {
    this.#worker?.postMessage(message);
  }

  #spawn(): void {
    const { url, namespace, address, leaseMs, heldMax, heldBytesMax, alone, memoryMb } = this.#options;
    const data: RunloopThreadData = {
      url,
      namespace,
      address,
      leaseMs,
      heldMax,
      heldBytesMax,
      alone,
      cells: this.#options.cells.buffer,
    };
    const worker = spawnThread("runloop", {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.ceil(memoryMb * YOUNG_SHARE) },
    });
    this.#worker = worker;
    this.#delay.started();
    worker.on("message", (message: FromRunloop) => this.#hear(message));
    worker.on("error", (error) => this.#failed(error));
    worker.on("exit", () => this.#gone(worker));
  }

  #failed(error: unknown): void {
    if (this.#opened === null) return this.#options.outside.warn("A runloop went down", error);
    this.#closing = true;
    this.#opened.reject(error);
    this.#opened = null;
  }

  #hear(message: FromRunloop): void {
    const { outside, begun } = this.#options;
    switch (message.kind) {
      case "opened":
        this.#opened?.resolve();
        this.#opened = null;
        return;
      case "failed":
        return this.#failed(unpackError(message.error));
      case "started":
        this.#take(message.request)?.resolve([...message.runs]);
        return;
      case "notStarted":
        this.#take(message.request)?.reject(unpackError(message.error));
        return;
      case "dispatch":
      case "adopt":
        outside[message.kind](message.calls);
        return;
      case "abort":
      case "acknowledge":
        outside[message.kind](message.calls);
        return;
      case "ended":
        outside.ended(message.runs);
        return;
      case "notify":
        outside.notify(message.channel);
        return;
      case "begun":
        begun();
        return;
      case "warn":
        outside.warn(message.message, unpackError(message.error));
        return;
      case "closed":
        this.#closed?.();
    }
  }

  #take(request: number): Request | undefined {
    const found = this.#requests.get(request);
    this.#requests.delete(request);
    return found;
  }

  #gone(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#options.cells.owner = null;
    for (const { reject } of this.#requests.values()) reject(new EngineUnavailable("The runloop went down"));
    this.#requests.clear();
    this.#closed?.();
    if (!this.#closing) setTimeout(() => this.#closing || this.#spawn(), this.#delay.next());
  }
}
