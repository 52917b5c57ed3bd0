import type { WorkerOptions } from "node:worker_threads";
import type { SharedCells } from "../runloop/shared-cells.ts";
import { EngineUnavailable } from "../runloop/lives.ts";
import type { CallOutcome, Outside, TryId, UnservedCall } from "../runloop/outside.ts";
import type { NewRun, StartedRun } from "../store/start-runs.ts";
import { type FromRunloop, type RunloopThreadData, type ToRunloop } from "./messages.ts";
import { unpackError } from "./packed-error.ts";
import { Thread } from "./thread.ts";

/** A runloop, wherever it runs. */
export interface RunloopPort {
  open(): Promise<void>;
  start(runs: readonly NewRun[]): Promise<StartedRun[]>;
  outcomes(outcomes: readonly CallOutcome[]): void;
  strangers(calls: readonly TryId[]): void;
  unserved(calls: readonly UnservedCall[]): void;
  joined(namespace: string, segments: readonly string[]): void;
  serve(room: ReadonlyMap<string, number>): void;
  poke(): void;
  /** Takes nothing new; resolves when nothing is dispatched any more. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface RunloopWorkerOptions extends Omit<RunloopThreadData, "cells"> {
  readonly memoryMb: number;
  readonly cells: SharedCells;
  readonly outside: Outside;
  /** Another life has begun: tells it of the outcomes that nobody has acknowledged. */
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
  readonly #thread: Thread<ToRunloop, FromRunloop>;
  readonly #requests = new Map<number, Request>();
  #lastRequest = 0;
  #draining = false;
  readonly #whenDrained: (() => void)[] = [];
  #room: ReadonlyMap<string, number> | null = null;
  #opened: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | null = null;

  constructor(options: RunloopWorkerOptions) {
    this.#options = options;
    this.#thread = new Thread("runloop", {
      options: () => threadOptions(options),
      started: () => this.#tellAgain(),
      hear: (message) => this.#hear(message),
      failed: (error) => this.#failed(error),
      gone: () => this.#gone(),
    });
  }

  /** Rejects if the database cannot be used. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opened = { resolve, reject };
      this.#thread.start();
    });
  }

  async start(runs: readonly NewRun[]): Promise<StartedRun[]> {
    if (!this.#thread.isRunning) throw new EngineUnavailable("The runloop is being started again");
    const request = ++this.#lastRequest;
    return new Promise((resolve, reject) => {
      this.#requests.set(request, { resolve, reject });
      this.#thread.say({ kind: "start", request, runs });
    });
  }

  outcomes(outcomes: readonly CallOutcome[]): void {
    this.#thread.say({ kind: "outcomes", outcomes });
  }

  strangers(calls: readonly TryId[]): void {
    this.#thread.say({ kind: "strangers", calls });
  }

  unserved(calls: readonly UnservedCall[]): void {
    this.#thread.say({ kind: "unserved", calls });
  }

  joined(namespace: string, segments: readonly string[]): void {
    this.#thread.say({ kind: "joined", namespace, segments });
  }

  serve(room: ReadonlyMap<string, number>): void {
    this.#room = room;
    this.#thread.say({ kind: "serve", room });
  }

  poke(): void {
    this.#thread.say({ kind: "poke" });
  }

  async drain(): Promise<void> {
    this.#draining = true;
    if (!this.#thread.isRunning) return;
    await new Promise<void>((resolve) => {
      this.#whenDrained.push(resolve);
      this.#thread.say({ kind: "drain" });
    });
  }

  close(): Promise<void> {
    // What was reported while there was no thread is passed on by the next one.
    this.#thread.hurry();
    return this.#thread.close();
  }

  /** A thread that took the place of another one knows nothing. */
  #tellAgain(): void {
    if (this.#draining) this.#thread.say({ kind: "drain" });
    if (this.#room !== null) this.serve(this.#room);
  }

  #failed(error: unknown): void {
    if (this.#opened === null) return this.#options.outside.warn("A runloop went down", error);
    this.#thread.stop();
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
        outside.abort(message.calls);
        return;
      case "recall":
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
        return this.#thread.say({ kind: "reported" });
      case "drained":
        return this.#drained();
      case "warn":
        outside.warn(message.message, unpackError(message.error), message.about);
    }
  }

  #take(request: number): Request | undefined {
    const found = this.#requests.get(request);
    this.#requests.delete(request);
    return found;
  }

  #drained(): void {
    for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  /** What was asked of the thread that is gone is not known to have been done. */
  #gone(): void {
    this.#options.cells.owner = null;
    for (const { reject } of this.#requests.values()) reject(new EngineUnavailable("The runloop went down"));
    this.#requests.clear();
    this.#drained();
  }
}

function threadOptions({ settings, blobFolder, memoryMb, cells }: RunloopWorkerOptions): WorkerOptions {
  const workerData: RunloopThreadData = { settings, blobFolder, cells: cells.buffer };
  const maxYoungGenerationSizeMb = Math.ceil(memoryMb * YOUNG_SHARE);
  return { workerData, resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb } };
}
