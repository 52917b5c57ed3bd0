import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { BlobStore } from "../blobs/blob-store.ts";
import { needsBlob } from "../blobs/reference.ts";
import { storedForm, valueOf } from "../blobs/stored-values.ts";
import { newRunId } from "../ids.ts";
import { inputIssues } from "../runloop/input-check.ts";
import { poolOf } from "../runloop/pools.ts";
import type { LoadedVersion, Programs } from "../runloop/programs.ts";
import { comparedText, mayBeSealed } from "../store/compared-text.ts";
import { isStorableText } from "../store/storable-text.ts";
import { isContention, isHeldUp } from "../store/contention.ts";
import { type EarlierRun, findEarlierRuns, type NewRun, type StartedRun, storedPayload } from "../store/start-runs.ts";
import { closedError, EngineError } from "./engine-error.ts";
import type { Patience } from "./patience.ts";
import { refusalOf } from "./sql-refusal.ts";
import { StartSpan } from "./start-span.ts";
import { checkSize, checkStartOptions, shapeOf, type StartRunOptions } from "./start-options.ts";
import { startShaped, type StartShape } from "../store/start-shaped.ts";
import type { Queryable } from "../store/statement.ts";

/** In one transaction. */
const BATCH_MAX = 1_000;

/** How often a start is tried whose key or id someone else's transaction holds. */
const TRIES_MAX = 50;
const TRY_AGAIN_MS = 100;

export interface StartRequest {
  readonly namespace: string;
  readonly type: string;
  /** In the tagged encoding. */
  readonly payload: string;
  /** Whether the workflow's declaration has checked it, and made of it what the body gets. */
  readonly checked: boolean;
  readonly options: StartRunOptions;
}

/** What became of a request. */
export interface Started {
  readonly id: string;
  /** An earlier one with the same id or key has made the run. */
  readonly existed: boolean;
}

interface Waiting {
  readonly run: NewRun;
  readonly resolve: (started: Started) => void;
  readonly reject: (error: unknown) => void;
  /** How often it met a transaction of someone else's. */
  heldUp: number;
  /** Since when there is no database, by a steady clock. */
  lostAt: number | null;
}

export interface StarterOptions {
  readonly client: Queryable;
  readonly programs: Programs;
  readonly blobs: BlobStore;
  readonly patience: Patience;
  readonly now: () => number;
  /** Whoever has room: inserts the runs in one transaction. */
  readonly start: (runs: readonly NewRun[]) => Promise<StartedRun[]>;
}

/** Starts runs. Requests that come while others are being written go together into the next transaction. */
export class Starter {
  readonly #options: StarterOptions;
  #waiting: Waiting[] = [];
  #busy = false;
  #closed = false;

  constructor(options: StarterOptions) {
    this.#options = options;
  }

  /** Resolves to the run's id once it is durable; an earlier one's if the idempotency key was used before. */
  async start(request: StartRequest): Promise<string> {
    return (await this.startOrFind(request)).id;
  }

  async startOrFind(request: StartRequest): Promise<Started> {
    if (this.#closed) throw closedError();
    const { namespace, type, options } = request;
    checkStartOptions(options, this.#options.now());
    const span = new StartSpan({ namespace, type, traceparent: options.traceparent });
    try {
      const started = await this.#start(await this.#prepare(request, span.traceparent), options);
      span.started(started.id, started.existed);
      return started;
    } catch (error) {
      span.failed(error);
      throw error;
    }
  }

  async #start(run: NewRun, options: StartRunOptions): Promise<Started> {
    const shape = shapeOf(options);
    if (shape !== null) return this.#startShaped(run, shape);
    return new Promise((resolve, reject) => {
      this.#enqueue({ run, resolve, reject, heldUp: 0, lostAt: null });
    });
  }

  /** Alone: it may have to wait for another start with the same key. */
  async #startShaped(run: NewRun, shape: StartShape): Promise<Started> {
    for (let tries = 1; ; tries++) {
      try {
        return await startShaped(this.#options.client, run, shape);
      } catch (error) {
        if (this.#closed) throw closedError();
        const refusal = refusalOf(error);
        if (refusal !== null) return this.#sealedBefore(run, refusal);
        if (!isHeldUp(error) && !isContention(error)) throw error;
        if (tries >= TRIES_MAX) throw heldUp(run, shape.debounce?.key ?? shape.deduplicate?.key ?? null);
      }
      await delay(TRY_AGAIN_MS);
    }
  }

  /** What is sealed was compared as it is: the run may be the one that is there after all. */
  async #sealedBefore(run: NewRun, refusal: EngineError): Promise<Started> {
    const isOfInput = refusal.code === "IdConflict" || refusal.code === "IdempotencyConflict";
    if (!isOfInput || !mayBeSealed(run.payload)) throw refusal;
    const [found] = await findEarlierRuns(this.#options.client, [run]);
    if (found === undefined || !(await this.#isSame(run, found))) throw refusal;
    return { id: found.id, existed: true };
  }

  /** Whether the run was started by the same request. */
  async #isSame({ namespace, type, payload, payloadDigest }: NewRun, found: EarlierRun): Promise<boolean> {
    if (found.type !== type || found.namespace !== namespace) return false;
    if (found.payloadDigest === payloadDigest) return true;
    if (!mayBeSealed(payload)) return false;
    const { client, blobs } = this.#options;
    const stored = await storedPayload(client, found.id);
    return (
      stored !== null && comparedText(await valueOf(blobs, stored, found.id, "The input")) === comparedText(payload)
    );
  }

  /** Nothing is begun any more; what is being written may still succeed. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closedError());
  }

  #enqueue(waiting: Waiting): void {
    if (this.#closed) return waiting.reject(closedError());
    this.#waiting.push(waiting);
    if (!this.#busy) void this.#flush();
  }

  /** Everything that can be wrong with a request is found before anything is written. */
  async prepare(request: StartRequest): Promise<NewRun> {
    checkStartOptions(request.options, this.#options.now());
    return this.#prepare(request, null);
  }

  async #prepare(
    { namespace, type, payload, checked, options }: StartRequest,
    traceparent: string | null,
  ): Promise<NewRun> {
    const now = this.#options.now();
    checkSize(`The input of ${type}`, payload);
    const version = await this.#version(namespace, type, options.version ?? null);
    if (version === null) {
      const wanted = options.version === undefined ? type : `${type} in the version ${options.version}`;
      throw new EngineError("UnknownType", `Nothing is registered as ${wanted} in the namespace ${namespace}`);
    }
    const issues = checked ? null : inputIssues(version, payload);
    if (issues !== null) throw new EngineError("InvalidInput", issues);
    const payloadReference = needsBlob(payload) ? await this.#stored(type, payload) : null;
    return {
      id: options.id?.toLowerCase() ?? newRunId(now),
      namespace,
      type,
      version: version.version,
      pool: poolOf(namespace, version),
      priority: options.priority ?? 0,
      payload,
      payloadReference,
      maxAttempts: options.maxAttempts ?? version.maxAttempts,
      runAt: options.runAt?.getTime() ?? null,
      tags: [...version.tags, ...(options.tags ?? [])],
      deadline: options.deadline?.getTime() ?? null,
      idempotencyKey: options.idempotencyKey ?? null,
      payloadDigest: hash("sha256", payload),
      deadLetterType: options.deadLetterType ?? null,
      traceparent,
    };
  }

  /** Before it joins others: whoever cannot be written keeps nobody else waiting. */
  async #stored(type: string, payload: string): Promise<string> {
    try {
      return await storedForm(this.#options.blobs, payload);
    } catch (cause) {
      throw new EngineError("Unavailable", `The input of ${type} cannot be written to the blob store`, { cause });
    }
  }

  async #version(namespace: string, type: string, version: string | null): Promise<LoadedVersion | null> {
    const { programs } = this.#options;
    if (!isStorableText(type)) return null;
    return programs.knownCurrent(namespace, type, version) ?? (await programs.current(namespace, type, version));
  }

  async #flush(): Promise<void> {
    this.#busy = true;
    // Requests made in the same turn of the event loop belong together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      // A key may be held by a transaction of someone else's: those without are not to fail with it, and one that was held up
      // before keeps nobody else waiting.
      const [first] = this.#waiting;
      const batch = this.#waiting.filter((each) => goesWith(each, first!)).slice(0, first!.heldUp > 0 ? 1 : BATCH_MAX);
      const taken = new Set(batch);
      this.#waiting = this.#waiting.filter((each) => !taken.has(each));
      await this.#write(batch);
    }
    this.#busy = false;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const started = await this.#options.start(batch.map(({ run }) => run));
      const fresh = new Set(started.map(({ id }) => id));
      const repeated = batch.filter(({ run }) => !fresh.has(run.id));
      for (const { run, resolve } of batch) if (fresh.has(run.id)) resolve({ id: run.id, existed: false });
      if (repeated.length > 0) await this.#explain(repeated);
    } catch (error) {
      await this.#alone(batch, error);
    }
  }

  /** One of them may be to blame: the others are undisturbed. */
  async #alone(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [first] = batch;
    if (error instanceof EngineError) for (const { reject } of batch) reject(error);
    else if (isUnavailable(error)) for (const each of batch) this.#waitForDatabase(each, error);
    else if (batch.length > 1) for (const each of batch) await this.#write([each]);
    else if (isHeldUp(error)) this.#waitForOthers(first!);
    else first!.reject(error);
  }

  /** The id was made before: should the run have been written after all, it is found. */
  #waitForDatabase(waiting: Waiting, error: unknown): void {
    const { patience } = this.#options;
    const now = performance.now();
    waiting.lostAt ??= now;
    if (now - waiting.lostAt < patience.ms) this.#tryLater(waiting);
    else waiting.reject(patience.exhausted(error));
  }

  #waitForOthers(waiting: Waiting): void {
    waiting.lostAt = null;
    waiting.heldUp += 1;
    if (waiting.heldUp < TRIES_MAX) this.#tryLater(waiting);
    else waiting.reject(heldUp(waiting.run));
  }

  /** Others go on in the meantime. */
  #tryLater(waiting: Waiting): void {
    setTimeout(() => this.#enqueue(waiting), TRY_AGAIN_MS);
  }

  /** A run with this id or key was there before: the same request again, or another one. */
  async #explain(repeated: readonly Waiting[]): Promise<void> {
    const earlier = await findEarlierRuns(
      this.#options.client,
      repeated.map(({ run }) => run),
    );
    for (const [index, waiting] of repeated.entries()) {
      const found = earlier[index];
      // The run that had the key was deleted just now.
      if (found === undefined) this.#enqueue(waiting);
      else
        await this.#isSame(waiting.run, found).then((same) => answer(waiting, same ? found.id : null), waiting.reject);
    }
  }
}

/** `id`: of the run that is the same one; null: it is another. */
function answer({ run, resolve, reject }: Waiting, id: string | null): void {
  if (id !== null) resolve({ id, existed: true });
  else if (run.idempotencyKey !== null) {
    reject(
      new EngineError("IdempotencyConflict", `The key ${run.idempotencyKey} was used for another input of ${run.type}`),
    );
  } else reject(new EngineError("IdConflict", `The id ${run.id} is that of another run`));
}

function goesWith({ run, heldUp: times }: Waiting, first: Waiting): boolean {
  return (run.idempotencyKey !== null) === (first.run.idempotencyKey !== null) && times > 0 === first.heldUp > 0;
}

function heldUp({ id, idempotencyKey }: NewRun, key = idempotencyKey): EngineError {
  const what = key === null ? `The id ${id}` : `The key ${key}`;
  return new EngineError("HeldUp", `${what} is in use by a transaction that does not end`);
}

/** By name: the error may come out of a thread. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Error && error.name === "EngineUnavailable";
}
