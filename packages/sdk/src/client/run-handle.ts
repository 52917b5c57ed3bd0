import type { TraceLine } from "@cairnjs/ir";
import type {
  AcceptedForRun,
  InputOfRun,
  RunDetails,
  RunOutcome,
  RunWithoutValues,
  StateOfRun,
  StepAttempt,
  StepOfRun,
  WaitToken as WireWaitToken,
} from "@cairnjs/schemas/rest";
import type { Duration } from "../options.ts";
import type { Signal } from "../signal.ts";
import { setTrace } from "../trace.ts";
import { CairnError } from "./cairn-error.ts";
import { type FollowOptions, follow } from "./follow.ts";
import { newKey } from "./ids.ts";
import { type LiveEvent, liveEventOf, type RunChunk, chunkOf } from "./live.ts";
import { itemsOf } from "./pages.ts";
import {
  attemptOf,
  inputOf,
  type RunAttempt,
  type RunInput,
  type RunState,
  type RunStatus,
  type RunStep,
  type RunView,
  stateOf,
  statusOf,
  stepOf,
  viewOf,
} from "./run-views.ts";
import { askedOnce } from "./asked-once.ts";
import type { Results } from "./results.ts";
import { makeRun, timeText, wholeMs } from "./start.ts";
import { startTimer } from "./timer.ts";
import { type Ask, Attempt, type Transport } from "./transport.ts";
import { type Timed, timed, type Values } from "./values.ts";

export interface ResultOptions {
  /** The run goes on without anyone who waits. */
  readonly signal?: AbortSignal;
  /** Then it rejects with a `CairnError` of the code `WaitTimeout`; the run goes on. */
  readonly timeout?: Duration;
}

export interface SignalOptions {
  /** A UUID: sent again with it within the hour, it is delivered once. Without it, one is made. */
  readonly key?: string;
}

export interface WaitTokenOptions<T = unknown> {
  /** What is sent; without it, whoever has the address says it. */
  readonly value?: T;
  /** 7 days if nothing is said. */
  readonly expiresIn?: Duration;
}

/** An address that sends a signal. */
export type WaitToken = Timed<WireWaitToken, "expiresAt">;

export interface RollbackOptions {
  /** Undo first what was to be compensated since. */
  readonly compensate?: boolean;
  /** Random numbers take the same course as before. */
  readonly keepChance?: boolean;
  /** Go back although something was undone that the state takes for done. */
  readonly despiteCompensations?: boolean;
}

export interface ForkOptions {
  /** A UUID of version 7, of about now: a fork of which nobody knows whether it worked can be repeated with it. Without it, one is made. */
  readonly id?: string;
  /**
   * Whether the fork may call actions, start children and emit events: "forbidden" (each such call fails with
   * `EffectForbidden`), "allowed", or those of these names alone. Without it, "forbidden".
   */
  readonly effects?: "forbidden" | "allowed" | { readonly allow: readonly string[] };
  /** What the original was to undo if it failed is undone by the fork too. */
  readonly compensations?: boolean;
  /** Random numbers take the same course as in the original. */
  readonly keepChance?: boolean;
  readonly priority?: number;
  /** In addition to those of the original. */
  readonly tags?: readonly string[];
  readonly deadline?: Date;
}

export interface HandleContext {
  readonly transport: Transport;
  readonly values: Values;
  readonly results: Results;
  /** Makes a run, with an id that was given or a new one: a second time if it is refused since the clock here is wrong. */
  readonly withId: <T>(given: string | undefined, make: (id: string) => Promise<T>) => Promise<T>;
}

const GRACE_MS = 2_000;

/** A run, wherever it is: what the handle of library mode does, over REST. */
export class RunHandle<Result = unknown> {
  readonly id: string;
  readonly #context: HandleContext;

  constructor(id: string, context: HandleContext) {
    this.id = id;
    this.#context = context;
  }

  /**
   * What the workflow returned; rejects with its error, with `RunCancelled`, or with a `CairnError` if the run was deleted. Control
   * planes may end and come back meanwhile.
   */
  async result({ signal, timeout }: ResultOptions = {}): Promise<Result> {
    if (timeout === undefined) return this.#result(null, signal);
    const ms = wholeMs("timeout", timeout);
    const until = performance.now() + ms;
    const over = new AbortController();
    // Not earlier than the control plane, which says it better: this is for when nobody answers.
    const stopTimer = startTimer(ms + GRACE_MS, () => over.abort(this.#inTime()));
    const both = new Attempt([signal, over.signal], null);
    try {
      return await this.#result(until, both.signal);
    } finally {
      stopTimer();
      both.end();
    }
  }

  /** How it is, without its values, however large these are. */
  async status(): Promise<RunStatus> {
    const ask: Ask = { method: "GET", path: this.#path(""), query: { values: false }, repeatable: true };
    return statusOf(await this.#context.transport.ask<RunWithoutValues>(ask));
  }

  /** All that is known of it, but for what it has done: input, result, error. */
  async show(): Promise<RunView> {
    const ask: Ask = { method: "GET", path: this.#path(""), repeatable: true };
    return viewOf(this.#context.values, await this.#context.transport.ask<RunDetails>(ask));
  }

  /** What has happened to it and what it did, from its beginning or behind `after`, and as it comes, until it has ended. */
  async *events(options: FollowOptions = {}): AsyncGenerator<LiveEvent, void> {
    const followed = { path: this.#path("/stream") };
    for await (const event of follow(this.#context.transport, followed, options))
      yield liveEventOf(this.#context.values, event);
  }

  /** What its actions give to `stream()`: what is kept, then what comes, until the run has ended. Of each attempt in order. */
  async *stream(options: FollowOptions = {}): AsyncGenerator<RunChunk, void> {
    const followed = { path: this.#path("/chunks") };
    for await (const event of follow(this.#context.transport, followed, options))
      yield chunkOf(this.#context.values, event);
  }

  /** Delivered once, in the order sent, also before the run waits for it. An error says the key if it may have been sent. */
  async signal<T>(signal: string | Signal<T>, value?: T, { key = newKey() }: SignalOptions = {}): Promise<void> {
    const name = typeof signal === "string" ? signal : signal.name;
    const { text } = await this.#context.values.encodeSignal(name, value);
    const start = JSON.stringify({ name, key }).slice(0, -1);
    const body = `${start},"value":${text}}`;
    const doubt = { inDoubt: key, says: `the signal may be sent, with the key ${key}` };
    await askedOnce<AcceptedForRun>(this.#context.transport, { path: this.#path("/signal"), body }, doubt);
  }

  /** An address that sends the signal once, for e-mails and webhooks: whoever opens it needs no key. */
  async waitToken<T>(signal: string | Signal<T>, { value, expiresIn }: WaitTokenOptions<T> = {}): Promise<WaitToken> {
    const name = typeof signal === "string" ? signal : signal.name;
    const text = value === undefined ? null : (await this.#context.values.encodeSignal(name, value)).text;
    const said = { signal: name, ...(expiresIn === undefined ? {} : { expiresInMs: wholeMs("expiresIn", expiresIn) }) };
    const body = JSON.stringify(said);
    const made = await this.#post<WireWaitToken>(
      "/tokens",
      text === null ? body : `${body.slice(0, -1)},"value":${text}}`,
      // Of two, the one that nobody was told of does nothing.
      {},
    );
    return timed(made, ["expiresAt"]);
  }

  /** Returns once the request is durable; the run is cancelled when its owner reads it. Rejects if it has ended otherwise. */
  async cancel(reason?: string): Promise<void> {
    await this.#order("/cancel", JSON.stringify(reason === undefined ? {} : { reason }));
  }

  /** It takes no further inputs. Actions that are under way end, and their results wait. */
  async pause(): Promise<void> {
    await this.#order("/pause");
  }

  async resume(): Promise<void> {
    await this.#order("/resume");
  }

  /** Of a run that has failed: what is left to be undone is undone, then it begins again with the same input. */
  async retry(): Promise<void> {
    await this.#order("/retry");
  }

  /** Takes the run back to its state after an input, also if it has ended. */
  async rollback(number: number, options: RollbackOptions = {}): Promise<void> {
    await this.#order("/rollback", JSON.stringify({ to: number, ...options }));
  }

  /** A new run that begins with the state of this one after an input. By default it may have no effects. */
  async fork(number: number, { deadline, ...options }: ForkOptions = {}): Promise<RunHandle<Result>> {
    const until = deadline === undefined ? {} : { deadline: timeText("deadline", deadline) };
    const { transport, withId } = this.#context;
    const id = await withId(options.id, (own) => {
      const body = JSON.stringify({ ...options, ...until, id: own, from: number });
      return makeRun(transport, own, this.#path("/fork"), body);
    });
    return new RunHandle(id, this.#context);
  }

  /** A deleted run is never executed again; what it has done can still be looked at. */
  async delete(reason?: string): Promise<void> {
    const query = { reason };
    await this.#context.transport.ask({ method: "DELETE", path: this.#path(""), query, repeatable: true });
  }

  /** Takes back that it was deleted. */
  async restore(): Promise<void> {
    await this.#order("/restore");
  }

  /** What it had done and knew after it had taken n inputs: functions that wait, where, and their variables. */
  async stateAt(n: number): Promise<RunState> {
    const ask: Ask = { method: "GET", path: this.#path("/state"), query: { at: n }, repeatable: true };
    return stateOf(this.#context.values, await this.#context.transport.ask<StateOfRun>(ask));
  }

  /** Every step with arguments, result, tries, times. */
  steps(): Promise<RunStep[]> {
    return collected(this.#list<StepOfRun>("/steps"), (step) => stepOf(this.#context.values, step));
  }

  /** The tries of its calls. */
  attempts(): Promise<RunAttempt[]> {
    return collected(this.#list<StepAttempt>("/attempts"), (each) => attemptOf(this.#context.values, each));
  }

  /** The inputs that the run has taken: each number is a state that can be returned to and forked. */
  history(): Promise<RunInput[]> {
    return collected(this.#list<InputOfRun>("/history"), async (input) => inputOf(input));
  }

  async #result(until: number | null, signal: AbortSignal | undefined): Promise<Result> {
    const outcome = await this.#context.results.of(this.id, until, signal);
    if (outcome === null) throw this.#inTime();
    return (await resultOf(this.#context.values, outcome)) as Result;
  }

  #inTime(): CairnError {
    return new CairnError("WaitTimeout", `The run ${this.id} has not ended in time`);
  }

  #path(part: string): string {
    return `/runs/${encodeURIComponent(this.id)}${part}`;
  }

  async #order(part: string, body = "{}"): Promise<void> {
    await this.#post<AcceptedForRun>(part, body);
  }

  /** The key makes one of what is asked for twice; what has a key of its own needs none. */
  #post<T>(part: string, body: string, headers: Ask["headers"] = { "idempotency-key": newKey() }): Promise<T> {
    return this.#context.transport.ask({ method: "POST", path: this.#path(part), body, headers, repeatable: true });
  }

  #list<Item>(part: string): AsyncGenerator<Item, void> {
    return itemsOf<Item>(this.#context.transport, this.#path(part));
  }
}

async function collected<Item, View>(items: AsyncIterable<Item>, view: (item: Item) => Promise<View>): Promise<View[]> {
  const all: View[] = [];
  for await (const item of items) all.push(await view(item));
  return all;
}

async function resultOf(values: Values, { status, result, error, trace }: RunOutcome): Promise<unknown> {
  if (status === "succeeded") return values.decode(result);
  const thrown = await values.decode(error);
  if (trace !== undefined) setTrace(thrown, trace as TraceLine[]);
  throw thrown;
}
