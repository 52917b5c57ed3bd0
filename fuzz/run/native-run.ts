import { NotStorable, type NativeOptions, decodeNative, encodeNative } from "@cairnjs/ir";
import { type Declarations, ENGINE_ERRORS, RunCancelled, SignalTimeout, cairnStub } from "./native-cairn.ts";
import { consoleStub, dateStub } from "./native-globals.ts";
import type { NativeInstance, NativeModules } from "./native-module.ts";
import type { RejectionTracker } from "./rejections.ts";
import { type Given, type Line, type OpenCall, type Subject, line, unhandledLine } from "./transcript.ts";

interface NativeOpen extends OpenCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

// Bodies live in UTC, wherever the test runs.
process.env["TZ"] = "UTC";

/** Loops and calls that a body may make before it counts as endless. */
const TICKS_MAX = 200_000;

/** Thrown in every loop and call from then on. */
class Endless extends Error {}

export const RUN_INFO = {
  id: "run-1",
  type: "fuzz",
  version: "0123456789ab",
  namespace: "default",
  attempt: 1,
  startedAt: 0,
  parent: null,
  tags: ["a", "b"],
} as const;

/** The oracle: a body run by Node.js itself, its durable calls settled one per macrotask. */
export class NativeRun implements Subject {
  readonly lines: Line[] = [];
  readonly open: NativeOpen[] = [];
  readonly workflow: string;
  readonly declared: Declarations = { actions: new Map(), workflows: new Map() };
  readonly instance: NativeInstance;
  readonly codec: NativeOptions;
  readonly #rejections: RejectionTracker;
  readonly #buffered = new Map<string, string[]>();
  readonly #compensations: { name: string; args: string }[] = [];
  at = 0;
  info = "";
  ended = false;
  /** The body did not come to an end by itself: nothing to compare. */
  endless = false;
  #ticks = 0;
  #count = 0;
  #cancelled: string | null = null;
  #settled: { readonly failed: boolean; readonly value: unknown } | null = null;
  #outcome: Line | null = null;

  /** `classes`: the error classes that the workflow itself knows; others arrive as errors of their nearest kin. */
  constructor(modules: NativeModules, workflow: string, rejections: RejectionTracker, classes: readonly string[]) {
    this.workflow = workflow;
    this.#rejections = rejections;
    this.instance = modules.evaluate({
      cairn: cairnStub(this, this.declared),
      console: consoleStub(this),
      Date: dateStub(this),
      tick: () => this.#tick(),
    });
    const known = Object.entries(this.instance.classes).filter(([name]) => classes.includes(name));
    this.codec = { errorClasses: new Map([...Object.entries(ENGINE_ERRORS), ...known]) };
  }

  #tick(): void {
    if (++this.#ticks <= TICKS_MAX) return;
    this.endless = true;
    throw new Endless();
  }

  async start(input: string, at: number): Promise<void> {
    this.#rejections.begin();
    this.at = at;
    this.info = encodeNative({ ...RUN_INFO, startedAt: new Date(at) });
    const body = this.declared.workflows.get(this.workflow);
    if (body === undefined) throw new Error(`there is no workflow ${this.workflow}`);
    const promise = body.length === 0 ? body() : body(decodeNative(input, this.codec));
    promise.then(
      (value) => (this.#settled = { failed: false, value }),
      (value: unknown) => (this.#settled = { failed: true, value }),
    );
    await this.#drain();
  }

  async give(given: Given, at: number): Promise<void> {
    this.at = Math.max(this.at, at);
    switch (given.kind) {
      case "result":
      case "error":
        this.#answer(given);
        break;
      case "timer": {
        const call = this.#take(given.call);
        if (call.kind === "sleep") call.resolve(undefined);
        else call.reject(new SignalTimeout(`No signal '${call.name}' arrived in time`));
        break;
      }
      case "signal": {
        const buffered = this.#buffered.get(given.name) ?? [];
        buffered.push(given.value);
        this.#buffered.set(given.name, buffered);
        this.giveSignals(given.name);
        break;
      }
      case "cancel":
        this.#cancel(given.reason);
    }
    await this.#drain();
  }

  #answer(given: Extract<Given, { kind: "result" | "error" }>): void {
    const call = this.#take(given.call);
    if (call.kind === "compensation") {
      if (given.kind === "error") this.note("compensationFailed", [call.number], [given.error]);
    } else if (given.kind === "result") call.resolve(decodeNative(given.value, this.codec));
    else call.reject(decodeNative(given.error, this.codec));
  }

  #take(number: number): NativeOpen {
    const index = this.open.findIndex((call) => call.number === number);
    return this.open.splice(index, 1)[0]!;
  }

  #cancel(reason: string): void {
    if (this.#outcome !== null) return;
    this.#cancelled ??= reason;
    for (const call of this.open.splice(0)) call.reject(new RunCancelled(this.#cancelled));
  }

  note(what: Line["what"], plain: Line["plain"], values: Line["values"] = []): void {
    this.lines.push(line(what, plain, values));
  }

  /** A durable call: its arguments are copied now, its promise waits for the driver. */
  issue(
    kind: OpenCall["kind"],
    name: string,
    encode: () => string,
    until: number | null,
    options: string | null,
  ): Promise<unknown> {
    if (this.#cancelled !== null) return Promise.reject(new RunCancelled(this.#cancelled));
    let args: string;
    try {
      args = encode();
    } catch (error) {
      if (error instanceof NotStorable) return Promise.reject(error);
      throw error;
    }
    const number = ++this.#count;
    this.note(
      kind === "start" ? "child" : kind === "compensation" ? "call" : kind,
      [kind, name, until, options],
      args === "" ? [] : [args],
    );
    return new Promise((resolve, reject) => {
      this.open.push({ number, kind, name, args, until, resolve, reject });
    });
  }

  giveSignals(name: string): void {
    const buffered = this.#buffered.get(name) ?? [];
    while (buffered.length > 0) {
      const index = this.open.findIndex((call) => call.kind === "wait" && call.name === name);
      if (index < 0) return;
      const [call] = this.open.splice(index, 1);
      const value = buffered.shift()!;
      this.note("taken", [call!.number], [value]);
      call!.resolve(decodeNative(value, this.codec));
    }
  }

  compensate(name: string, args: string): void {
    this.#compensations.push({ name, args });
    this.note("compensation", [name], [args]);
  }

  /** Until all jobs are done: a macrotask starts only then. */
  async #drain(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.endless) {
      this.ended = true;
      return;
    }
    if (this.#outcome === null && this.#settled !== null) this.#endBody(this.#settled.failed, this.#settled.value);
    if (this.#outcome !== null && this.open.length === 0 && !this.ended) this.#compensateNext(this.#outcome);
  }

  #endBody(failed: boolean, value: unknown): void {
    this.open.length = 0;
    let encoded: string;
    let status = failed ? "failed" : "succeeded";
    try {
      encoded = encodeNative(value, { ...this.codec, root: failed ? "error" : "result" });
    } catch (error) {
      if (!(error instanceof NotStorable)) throw error;
      status = "failed";
      encoded = encodeNative(error, this.codec);
    }
    if (this.#cancelled !== null) status = "cancelled";
    this.#outcome = line("end", [status], [encoded]);
    if (status === "succeeded") this.#compensations.length = 0;
    this.#rejections.settle();
  }

  #compensateNext(outcome: Line): void {
    const next = this.#compensations.pop();
    if (next !== undefined) {
      this.#cancelled = null;
      void this.issue("compensation", next.name, () => next.args, null, null);
      return;
    }
    this.lines.push(outcome);
    const reasons = this.#rejections.reasons().map((reason) => encodeSafely(reason, this.codec));
    this.lines.push(unhandledLine(reasons));
    this.ended = true;
  }
}

function encodeSafely(reason: unknown, codec: NativeOptions): string {
  try {
    return encodeNative(reason, codec);
  } catch {
    return JSON.stringify("a reason that cannot be stored");
  }
}
