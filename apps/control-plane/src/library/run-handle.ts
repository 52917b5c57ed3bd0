import { randomUUID } from "node:crypto";
import type { TraceLine } from "@cairnjs/ir";
import type { PayloadCodec, Signal } from "cairnjs";
import type { RollbackOptions } from "cairnjs/client";
import { checkedSignal, decodeCopy, ENGINE_ERRORS, opening, sealing, setTrace } from "cairnjs/host";
import type { BlobStore } from "../blobs/blob-store.ts";
import { storedForm, valueOf } from "../blobs/stored-values.ts";
import type { ChunkFeed } from "../chunks/chunk-feed.ts";
import type { Programs } from "../runloop/programs.ts";
import type { EndedNotice } from "../runloop/outside.ts";
import { deleteRun } from "../store/end-runs.ts";
import type { RunSummaryView } from "../store/find-runs.ts";
import { NUMBER_MAX } from "../store/load-runs.ts";
import { digestOf, type LetterKey, sendOnce, wasSent } from "../store/mail.ts";
import { retryRun, rollBackRun } from "../store/revive-run.ts";
import type { MailKind } from "../store/transition.ts";
import { isRunId } from "../ids.ts";
import { cancel } from "./cancelling.ts";
import { anotherError, deletedError, EngineError, missingError, notFailedError, overError } from "./engine-error.ts";
import { requireRun } from "./require-run.ts";
import { fork, type ForkOptions } from "./forking.ts";
import { checkedRollback } from "./rolling-back.ts";
import { keyOfParts } from "./key-of-parts.ts";
import { readable } from "./readable.ts";
import { restore } from "./restoring.ts";
import { type RunChunk, type RunStreamOptions, streamOf } from "./run-stream.ts";
import { readInputs, type RunInput } from "./run-inputs.ts";
import { checkInteger, checkKey, checkSize, checkText, NAME_LENGTH_MAX } from "./start-options.ts";
import { type EncodedStateView, type EncodedStepView, readState, readSteps } from "./run-steps.ts";
import type { Waiters } from "./waiters.ts";
import type { Queryable } from "../store/statement.ts";

export interface RunContext {
  readonly client: Queryable;
  readonly programs: Programs;
  readonly blobs: BlobStore;
  readonly namespace: string;
  readonly waiters: Waiters;
  readonly chunks: ChunkFeed;
  /** For sealed values; null: there is none. */
  readonly codec: PayloadCodec | null;
  /** The database's time. */
  readonly now: () => number;
  /** Mail was sent, or a run has ended without its owner. */
  readonly tell: (channel: "cairn_mail" | "cairn_ended" | "cairn_work") => void;
}

const REASON_LENGTH_MAX = 10_000;

export interface AskedOnce {
  /** A UUID: asked again under it within the hour, it is asked for once. */
  readonly key?: string;
}

/** A step of a run, for people. */
export interface RunStep extends Omit<EncodedStepView, "args" | "value" | "startedAt" | "endedAt" | "attempts"> {
  readonly args: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly outcome: "succeeded" | "failed" | "lost";
    readonly worker: string | null;
    readonly startedAt: Date;
    readonly endedAt: Date;
    readonly error?: unknown;
  }[];
}

/** The state of a run after one of its inputs, for people. */
export interface RunState extends Omit<EncodedStateView, "at" | "open"> {
  /** The time of the input. */
  readonly at: Date;
  /** Steps that are under way. */
  readonly open: readonly Pick<RunStep, "call" | "node" | "kind" | "name" | "compensation" | "args">[];
}

export interface RunStatus extends Pick<
  RunSummaryView,
  | "id"
  | "type"
  | "version"
  | "status"
  | "phase"
  | "waitingFor"
  | "attempt"
  | "maxAttempts"
  | "lastError"
  | "tags"
  | "schedule"
> {
  /** The time for which its schedule has started it. */
  readonly scheduledFor: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export function statusOf(run: RunSummaryView): RunStatus {
  const { id, type, version, status, phase, waitingFor, attempt, maxAttempts, lastError, tags, schedule } = run;
  const scheduledFor = run.scheduledFor === null ? null : new Date(run.scheduledFor);
  const createdAt = new Date(run.createdAt);
  const endedAt = run.endedAt === null ? null : new Date(run.endedAt);
  const life = { status, phase, waitingFor, attempt, maxAttempts, lastError, createdAt, endedAt };
  return { id, type, version, ...life, tags, schedule, scheduledFor };
}

/** A run, wherever it is and whoever holds it. */
export class RunHandle<Result = unknown> {
  readonly id: string;
  readonly #context: RunContext;

  constructor(id: string, context: RunContext) {
    this.id = id;
    this.#context = context;
  }

  /** What the workflow returned; rejects with its error, with `RunCancelled`, or if the run was deleted. */
  async result(): Promise<Result> {
    const { waiters, namespace, blobs } = this.#context;
    this.#checkedId();
    const ended = await waiters.wait(namespace, this.id);
    const what = ended.status === "succeeded" ? "The result" : "The error";
    const value = await readable(valueOf(blobs, ended.value, this.id, what));
    return (await outcomeOf({ ...ended, value }, this.id, this.#context.codec)) as Result;
  }

  /**
   * What its actions give to `stream()`, while they run: those that are kept, then those that come, until the run has ended. Of
   * each attempt in order.
   */
  async *stream(options: RunStreamOptions = {}): AsyncGenerator<RunChunk, void> {
    const { waiters, namespace, chunks } = this.#context;
    const { id: runId } = await this.#find();
    const ended = (signal: AbortSignal): Promise<unknown> => waiters.wait(namespace, runId, signal);
    yield* streamOf({ feed: chunks, runId, ended, decode: decoded }, options);
  }

  async status(): Promise<RunStatus> {
    return statusOf(await this.#find());
  }

  /** Delivered once, in the order sent, also before the run waits for it. */
  async signal<T>(signal: string | Signal<T>, value?: T, { key }: AskedOnce = {}): Promise<void> {
    const name = typeof signal === "string" ? signal : signal.name;
    checkText("The name of a signal", name, 1, NAME_LENGTH_MAX);
    if (key !== undefined) checkKey(key);
    const { text } = await sealing((sealed) => checkedSignal(name, value, "signal", sealed), this.#context.codec);
    checkSize(`The value of the signal ${name}`, text);
    // One and the same for whoever sends it over REST or gRPC; to another run, it is another one.
    const under = key === undefined ? randomUUID() : keyOfParts(this.#context.namespace, this.id, key);
    await this.#send("signal", text, name, under);
  }

  /**
   * Returns once the request is durable; the run is cancelled when its owner reads it. One that is cancelled already is what is wanted;
   * one that has ended otherwise refuses it.
   */
  async cancel(reason = "cancelled"): Promise<void> {
    checkText("The reason", reason, 0, REASON_LENGTH_MAX);
    await this.#find();
    await cancel(this.#context.client, this.#context.namespace, this.id, reason);
    this.#tell();
  }

  /** It takes no further inputs. Actions that are under way end, and their results wait. */
  async pause({ key }: AskedOnce = {}): Promise<void> {
    await this.#send("pause", null, null, key);
  }

  async resume({ key }: AskedOnce = {}): Promise<void> {
    await this.#send("resume", null, null, key);
  }

  /** A deleted run is never executed again; what it has done can still be looked at. */
  async delete(reason?: string): Promise<void> {
    if (reason !== undefined) checkText("The reason", reason, 0, REASON_LENGTH_MAX);
    await this.#find();
    await deleteRun(this.#context.client, this.id, reason ?? null);
    this.#tell();
  }

  /**
   * Takes back that it was deleted. One that had ended is as it was; one that lived goes on from what it had committed. Children that
   * were deleted with it come back too. One that is not deleted stays as it is.
   */
  async restore(): Promise<void> {
    await this.#find();
    if (!(await restore(this.#context.client, this.id))) return;
    this.#context.tell("cairn_mail");
    this.#context.tell("cairn_work");
  }

  /** Of a run that has failed: what is left to be undone is undone, then it begins again with the same input. */
  async retry({ key = randomUUID() }: AskedOnce = {}): Promise<void> {
    await this.#find();
    if (!(await retryRun(this.#context.client, this.id, key))) {
      const { status, deletedAt } = await this.#find();
      if (deletedAt !== null) throw deletedError(this.id);
      throw notFailedError(this.id, status);
    }
    this.#context.tell("cairn_work");
  }

  /**
   * Takes the run back to its state after an input, also if it has ended. What was open there is done again; signals that
   * came later are taken again. What it did since stays in its history, as superseded.
   */
  async rollback(number: number, { key, ...options }: RollbackOptions & AskedOnce = {}): Promise<void> {
    const { client } = this.#context;
    const under = { key: key ?? randomUUID(), digest: digestOf("rollback", this.id, number, options) };
    if (key !== undefined && (await this.#wasAsked(under))) return;
    const { deletedAt } = await this.#find();
    if (deletedAt !== null) throw deletedError(this.id);
    const order = JSON.stringify(await readable(checkedRollback(this.#context, this.id, number, options)));
    if (!(await rollBackRun(client, this.id, order, under))) throw overError(await this.#find());
    // Another may have been asked for under the key while this was looked at.
    if (key !== undefined) await this.#wasAsked(under);
    this.#context.tell("cairn_mail");
    this.#context.tell("cairn_work");
  }

  /** A new run that begins with the state of this one after an input. By default it may have no effects. */
  async fork(number: number, options: ForkOptions = {}): Promise<RunHandle<Result>> {
    const id = await readable(fork(this.#context, this.#checkedId(), number, options, this.#context.now()));
    this.#context.tell("cairn_work");
    return new RunHandle(id, this.#context);
  }

  /** The inputs that the run has taken: each number is a state that can be looked at, returned to and forked. */
  async history(): Promise<RunInput[]> {
    return readInputs(this.#context, this.#checkedId());
  }

  async steps(): Promise<RunStep[]> {
    this.#checkedId();
    const steps = await readable(readSteps(this.#context, this.id));
    return steps.map(({ args, value, status, startedAt, endedAt, attempts, ...step }) => ({
      ...step,
      args: decoded(args),
      status,
      ...(value === null ? {} : status === "failed" ? { error: decoded(value) } : { result: decoded(value) }),
      startedAt: new Date(startedAt),
      endedAt: endedAt === null ? null : new Date(endedAt),
      attempts: attempts.map(({ attempt, outcome, worker, error, ...times }) => ({
        attempt,
        outcome,
        worker,
        startedAt: new Date(times.startedAt),
        endedAt: new Date(times.endedAt),
        ...(error === null ? {} : { error: decoded(error) }),
      })),
    }));
  }

  /** What it had done and knew after it had taken n inputs: functions that wait, where, and their variables. */
  async stateAt(n: number): Promise<RunState> {
    this.#checkedId();
    checkInteger("The number of inputs", n, 0, NUMBER_MAX);
    const { at, open, ...state } = await readable(readState(this.#context, this.id, n));
    const steps = open.map(({ args, ...step }) => {
      const { call, node, kind, name, compensation } = step;
      return { call, node, kind, name, compensation, args: decoded(args) };
    });
    return { ...state, at: new Date(at), open: steps };
  }

  /** What is no id belongs to no run, and Postgres does not want to hear of it. */
  #checkedId(): string {
    if (!isRunId(this.id)) throw missingError(this.id);
    return this.id.toLowerCase();
  }

  async #find(): Promise<RunSummaryView> {
    this.#checkedId();
    return requireRun(this.#context.client, this.#context.namespace, this.id);
  }

  async #send(
    kind: MailKind,
    value: string | null,
    name: string | null = null,
    key: string = randomUUID(),
  ): Promise<void> {
    const { client, blobs } = this.#context;
    await this.#find();
    const stored = value === null ? null : await storedForm(blobs, value).catch(notWritten);
    const under = { key, digest: digestOf(kind, this.id, name, value) };
    const sent = await sendOnce(client, under, { runId: this.id, kind, name, value: stored });
    if (sent === "another") throw anotherError(`Something of ${this.id}`);
    if (sent === null) throw overError(await this.#find());
    this.#context.tell("cairn_mail");
  }

  async #wasAsked(under: LetterKey): Promise<boolean> {
    const sent = await wasSent(this.#context.client, under);
    if (sent === "another") throw anotherError(`A rollback of ${this.id}`);
    return sent !== null;
  }

  #tell(): void {
    this.#context.tell("cairn_mail");
    this.#context.tell("cairn_ended");
  }
}

function notWritten(cause: unknown): never {
  throw new EngineError("Unavailable", "The value of the signal cannot be written to the blob store", { cause });
}

async function outcomeOf(
  { status, value, trace }: EndedNotice,
  id: string,
  codec: PayloadCodec | null,
): Promise<unknown> {
  if (status === "deleted") throw deletedError(id);
  // Without a codec, what is sealed stays so.
  const read = codec === null ? decoded(value) : await opening({ text: value, classes: ENGINE_ERRORS }, codec);
  if (status === "succeeded") return read;
  const thrown = read;
  if (trace !== null) setTrace(thrown, JSON.parse(trace) as TraceLine[]);
  throw thrown;
}

function decoded(text: string): unknown {
  return decodeCopy({ text, classes: ENGINE_ERRORS });
}
