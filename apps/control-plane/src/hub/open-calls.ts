import { callKey } from "@cairnjs/worker/host";
import type { Dispatch as SentDispatch, GivenSecret, RetryPolicy, Value } from "@cairnjs/schemas";
import { DEFAULT_RETRY } from "cairnjs/host";
import { SecretMissing, SecretNotSent } from "cairnjs";
import { EngineError } from "../library/engine-error.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { CallId, Dispatch } from "../runloop/outside.ts";
import type { HubCall } from "./hub-call.ts";
import { Routes } from "./routes.ts";
import { isInline, valueOfText } from "./values.ts";
import type { WorkerSession } from "./worker-session.ts";
import type { Warn } from "../warn.ts";

/** When what a call needs could not be written to the blob store. */
const SEND_AGAIN_MS = 1_000;

export interface OpenCallsOptions<Owner> {
  readonly now: () => number;
  readonly blobs: BlobStore;
  readonly warn: Warn;
  /** A worker has taken a call of which people were told that there is none. */
  readonly served: (call: HubCall<Owner>) => void;
  /** A call goes to a worker, after it has waited here. */
  readonly sent: (waitedMs: number) => void;
  /** Secrets of a namespace, by name: those that are there. */
  readonly secrets: (namespace: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** A call cannot be sent. `retry`: how it is tried; null: trying again would not help. */
  readonly fail: (call: HubCall<Owner>, error: Error, retry: RetryPolicy | null) => void;
}

/** Owns: the calls that are open here, and who has them. */
export class OpenCalls<Owner> {
  readonly routes = new Routes<Owner>();
  readonly #options: OpenCallsOptions<Owner>;
  readonly #calls = new Map<string, HubCall<Owner>>();
  /** Workers with credit that have room for calls which they had none for. */
  readonly #hungry = new Set<WorkerSession<Owner>>();
  #again: { readonly call: HubCall<Owner>; readonly at: number }[] = [];

  constructor(options: OpenCallsOptions<Owner>) {
    this.#options = options;
  }

  get size(): number {
    return this.#calls.size;
  }

  [Symbol.iterator](): IterableIterator<HubCall<Owner>> {
    return this.#calls.values();
  }

  get(id: CallId): HubCall<Owner> | undefined {
    return this.#calls.get(callKey(id));
  }

  has(call: HubCall<Owner>): boolean {
    return this.#calls.get(call.key) === call;
  }

  /** In the place of whatever was known of the call. */
  add(owner: Owner, dispatch: Dispatch, state: "preparing" | "waiting" | "unclaimed"): HubCall<Owner> {
    const now = this.#options.now();
    const key = callKey(dispatch);
    const former = this.#calls.get(key);
    if (former !== undefined) this.remove(former);
    const call: HubCall<Owner> = {
      key,
      dispatch,
      owner,
      state,
      session: null,
      worker: null,
      since: now,
      heardAt: now,
      turn: 0,
      told: null,
      details: null,
    };
    this.#calls.set(key, call);
    return call;
  }

  remove(call: HubCall<Owner>): void {
    this.#detach(call);
    if (this.has(call)) this.#calls.delete(call.key);
  }

  /** To a worker with free credit, as soon as there is one. */
  place(call: HubCall<Owner>): void {
    this.#enter(call, "waiting");
    const session = this.routes.place(call);
    if (session !== null) this.#send(call, session);
  }

  /** A worker has free credit. */
  feed(session: WorkerSession<Owner>): void {
    while (session.free > 0) {
      const call = this.routes.next(session);
      if (call === null) return;
      this.#send(call, session);
    }
  }

  /** Whoever says new credits is fed then; others now. */
  feedHungry(): void {
    for (const session of this.#hungry) this.feed(session);
    this.#hungry.clear();
  }

  /** A worker has the call. */
  attach(call: HubCall<Owner>, session: WorkerSession<Owner>): void {
    this.#detach(call);
    this.#enter(call, "out");
    call.heardAt = call.since;
    call.session = session;
    call.worker = session.key;
    session.take(call);
    if (call.told !== null) this.#options.served(call);
    call.told = null;
  }

  /** The stream of its worker is broken. */
  miss(call: HubCall<Owner>): void {
    this.#detach(call);
    this.#enter(call, "absent");
  }

  /** Its owner has lost its runs. */
  orphan(call: HubCall<Owner>): void {
    this.#detach(call);
    this.#enter(call, "orphan");
  }

  tick(): void {
    const now = this.#options.now();
    const due = this.#again.filter(({ at }) => at <= now);
    if (due.length === 0) return;
    this.#again = this.#again.filter(({ at }) => at > now);
    for (const { call } of due) if (this.has(call) && call.state === "preparing") this.place(call);
  }

  #enter(call: HubCall<Owner>, state: HubCall<Owner>["state"]): void {
    call.state = state;
    call.since = this.#options.now();
  }

  /** Null: the action needs none. */
  async #secretsFor(
    { dispatch: { namespace, action } }: HubCall<Owner>,
    session: WorkerSession<Owner>,
  ): Promise<GivenSecret[] | null> {
    const names = session.needing.get(action)?.secrets;
    if (names === undefined) return null;
    if (!session.link.isPrivate) {
      throw new SecretNotSent(
        `${action} needs secrets, and they are sent over TLS or within one machine alone: the worker ${session.hello.workerId} ` +
          "has connected over plain TCP. Give the control plane CAIRN_TLS_CERT and CAIRN_TLS_KEY, and the worker an https:// address",
      );
    }
    const found = await this.#options.secrets(namespace, names);
    const missing = names.find((name) => !found.has(name));
    if (missing === undefined) return names.map((name) => ({ name, value: found.get(name)! }));
    throw new SecretMissing(`${action} needs the secret "${missing}", which is not in the namespace ${namespace}`);
  }

  #sendAgain(call: HubCall<Owner>, session: WorkerSession<Owner>, error: unknown): void {
    const { namespace, runId, call: id, attempt, action } = call.dispatch;
    const about = { namespace, runId, call: id, attempt, action };
    this.#options.warn(`What ${action} is to be given cannot be written or read, which is tried again`, error, about);
    if (call.session !== session) return;
    this.#detach(call);
    this.#enter(call, "preparing");
    this.#again.push({ call, at: this.#options.now() + SEND_AGAIN_MS });
  }

  #detach(call: HubCall<Owner>): void {
    if (call.state === "waiting") this.routes.remove(call);
    if (call.session?.leave(call) === true) this.#hungry.add(call.session);
    call.session = null;
  }

  #send(call: HubCall<Owner>, session: WorkerSession<Owner>): void {
    const { args, options } = call.dispatch;
    session.reserve();
    this.#options.sent(this.#options.now() - call.since);
    this.attach(call, session);
    const isPlain = isInline(args) && isInline(options) && !session.needing.has(call.dispatch.action);
    if (!isPlain) return void this.#sendLater(call, session);
    session.dispatch(dispatchOf(call, { json: args }, options === null ? null : { json: options }));
  }

  /** With arguments that are put into the blob store, or with secrets: these are read for this one frame, and kept nowhere. */
  async #sendLater(call: HubCall<Owner>, session: WorkerSession<Owner>): Promise<void> {
    const { blobs, fail } = this.#options;
    const { args, options } = call.dispatch;
    try {
      const own = session.link.ownBlobs ?? blobs;
      const sent = await valueOfText(own, args);
      const sentOptions = options === null ? null : await valueOfText(own, options);
      const secrets = await this.#secretsFor(call, session);
      if (call.session === session) {
        return session.dispatch({ ...dispatchOf(call, sent, sentOptions), ...(secrets === null ? {} : { secrets }) });
      }
    } catch (error) {
      const isOurs = call.session === session;
      const retry = retryAfter(error, session.needing.get(call.dispatch.action)?.retry ?? null);
      if (retry === undefined) this.#sendAgain(call, session, error);
      else if (isOurs) fail(call, error as Error, retry);
    }
    // Someone else has its credit.
    session.giveBack();
    this.feed(session);
  }
}

/** How a call is tried that could not be given its secrets; undefined: it is this process that waits. */
function retryAfter(error: unknown, policy: RetryPolicy | null): RetryPolicy | null | undefined {
  if (error instanceof SecretMissing || error instanceof SecretNotSent) return null;
  const isConfiguration = error instanceof EngineError && UNREADABLE.has(error.code);
  return isConfiguration ? (policy ?? DEFAULT_RETRY) : undefined;
}

/** Another control plane may be able to, and so may this one when it is started with the right key. */
const UNREADABLE: ReadonlySet<string> = new Set(["NoMasterKey", "WrongMasterKey", "SecretUnreadable"]);

function dispatchOf<Owner>({ dispatch, details }: HubCall<Owner>, args: Value, options: Value | null): SentDispatch {
  const { incarnation, runId, call, attempt, action, type, version, priority, deadline, traceparent } = dispatch;
  return {
    incarnation,
    runId,
    call,
    attempt,
    action,
    type,
    version,
    args,
    options,
    heartbeatDetails: details,
    priority,
    deadlineMs: deadline,
    idempotencyKey: callKey({ runId, call }),
    traceparent,
  };
}
