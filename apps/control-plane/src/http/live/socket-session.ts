import { type DroppedReason, type SocketAnswer, SocketRequest, whatIsWanted } from "@cairnjs/schemas/rest";
import type { WebSocket } from "ws";
import { ANYONE, type Caller, checkScope } from "../../access/caller.ts";
import { Refused } from "../../hub/refused.ts";
import type { Engine } from "../../library/engine.ts";
import type { LiveSource } from "../../live/live-source.ts";
import type { Warn } from "../../warn.ts";
import { internalProblem, problemOf } from "../problems.ts";
import type { LiveClients } from "./live-clients.ts";
import { topicOf } from "./topics.ts";

const SUBSCRIPTIONS_MAX = 100;
/** What is given to the system at a time: whenever it has taken that, the client is known to read. */
const PORTION_LENGTH = 16 * 1024;
/** Who answers no ping may still be reading what the system has taken for him, of which nothing is heard: so many times what is slow. */
const SILENT_SLOWS_MAX = 4;
/** What is wrong with one subscription alone. */
const OF_A_CURSOR: ReadonlySet<DroppedReason> = new Set(["unknown cursor", "expired"]);
const HELLO_MS_MAX = 10_000;
const FAREWELL_MS = 15_000;
/** Of the WebSocket protocol: the server ends; what was said is against the rules; try again later. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

export interface SocketSessionOptions {
  readonly engine: Engine;
  readonly clients: LiveClients;
  /** Null: he has to say it first. */
  readonly caller: Caller | null;
  /** Who has a token. Rejects if nobody. */
  readonly callerOf: (token: string) => Promise<Caller>;
  /** Throws if it is not for this caller. */
  readonly namespaceOf: (caller: Caller) => string;
  /** Writes down what he may not do; `topic` is what he wanted to hear of. */
  readonly refused: (error: unknown, topic?: string) => Promise<void>;
  /** Whether one more message may be said by him, over this connection. */
  readonly admits: (caller: Caller | null) => boolean;
  readonly warn: Warn;
}

interface Subscription {
  readonly source: LiveSource;
  /** That the client knows. */
  cursor: string | null;
  isOver: boolean;
}

/**
 * Owns: one connection to `/ws`, and what it is subscribed to. Requests are answered one after the other, each when the answer before was taken; and
 * of all that is told, one portion waits at a time, whatever it is subscribed to. I1: nothing is done for who has not said who he is. I2: while
 * something that was said is not answered, nothing more is read; who says more than he may is dropped.
 */
export class SocketSession {
  readonly #socket: WebSocket;
  readonly #options: SocketSessionOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  #who: { readonly caller: Caller; readonly namespace: string } | null = null;
  #leave: () => void = () => {};
  #hello: NodeJS.Timeout | null = null;
  readonly #heart: NodeJS.Timeout;
  /** When something was last heard of it, or taken by it. */
  #aliveAt = performance.now();
  #isOver = false;
  #isTellingCursors = false;
  /** Messages that are not answered. */
  #unanswered = 0;
  #sending: Promise<void> = Promise.resolve();
  #answering: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, options: SocketSessionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on("message", (data, isBinary) => this.#heard(isBinary ? null : (data as Buffer).toString()));
    socket.on("close", () => this.#ended());
    // What is wrong with a connection ends it.
    socket.on("error", () => {});
    socket.on("pong", () => this.#lives());
    socket.on("ping", (data) => this.#pinged(data));
    this.#heart = setInterval(() => this.#beat(), options.clients.limits.heartbeatMs);
    if (options.caller !== null) this.#admit(options.caller);
    else this.#hello = setTimeout(() => socket.close(POLICY_VIOLATION, "nobody has said who he is"), HELLO_MS_MAX);
  }

  drop(reason: DroppedReason): void {
    if (this.#isOver) return;
    this.#options.clients.wasDropped(reason);
    // Whatever waits to be sent is not.
    this.#socket.send(JSON.stringify({ op: "dropped", reason } satisfies SocketAnswer), () => {});
    const code = reason === "access" ? POLICY_VIOLATION : reason === "closing" ? GOING_AWAY : TRY_AGAIN_LATER;
    this.#ended();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), FAREWELL_MS).unref();
  }

  /** There was room for him when he asked; others may have come since. */
  #admit(caller: Caller): void {
    try {
      this.#enter(caller);
    } catch (error) {
      void this.#refuse(error);
    }
  }

  /** Throws `Refused` if there are too many of him. */
  #enter(caller: Caller): void {
    const namespace = this.#options.namespaceOf(caller);
    this.#leave = this.#options.clients.enter(caller, "socket", (reason) => this.drop(reason));
    this.#who = { caller, namespace };
  }

  #ended(): void {
    this.#isOver = true;
    clearInterval(this.#heart);
    if (this.#hello !== null) clearTimeout(this.#hello);
    for (const topic of this.#subscriptions.keys()) this.#unsubscribe(topic);
    this.#leave();
  }

  #beat(): void {
    const silentMs = performance.now() - this.#aliveAt;
    if (silentMs > SILENT_SLOWS_MAX * this.#options.clients.limits.slowMs) this.drop("slow");
    // One that waits behind something says no more than that does.
    else if (this.#socket.bufferedAmount === 0) {
      this.#socket.ping();
      if (!this.#isTellingCursors) void this.#tellCursors();
    }
  }

  /** To whom nothing was for: who comes back need not go through all of that. Behind all that was told by now. */
  async #tellCursors(): Promise<void> {
    const texts: string[] = [];
    for (const [topic, subscription] of this.#subscriptions) {
      const { cursor } = subscription.source;
      if (cursor === null || cursor === subscription.cursor) continue;
      subscription.cursor = cursor;
      texts.push(JSON.stringify({ op: "cursor", topic, cursor } satisfies SocketAnswer));
    }
    this.#isTellingCursors = true;
    await this.#send(texts);
    this.#isTellingCursors = false;
  }

  #lives(): void {
    this.#aliveAt = performance.now();
  }

  /** Nothing more is read until all that has come is answered: whoever floods it waits, or is dropped. */
  #heard(text: string | null): void {
    if (!this.#isAdmitted()) return;
    this.#unanswered += 1;
    this.#socket.pause();
    this.#answering = this.#answering
      .then(() => this.#answer(text))
      .catch((error: unknown) => this.#options.warn("A message to /ws cannot be answered", error))
      .then(() => this.#answered());
  }

  #answered(): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#socket.resume();
  }

  /** A message like any other; who does not take what he was told before is told nothing more. */
  #pinged(data: Buffer): void {
    if (this.#isAdmitted() && this.#socket.bufferedAmount < PORTION_LENGTH) this.#socket.pong(data);
  }

  #isAdmitted(): boolean {
    if (this.#isOver) return false;
    this.#lives();
    const isAdmitted = this.#options.admits(this.#who?.caller ?? null);
    if (!isAdmitted) this.drop("too many messages");
    return isAdmitted;
  }

  async #answer(text: string | null): Promise<void> {
    if (this.#isOver) return;
    let topic: string | undefined;
    try {
      const said = jsonIn(text);
      topic = topicIn(said);
      await this.#do(requestIn(said));
    } catch (error) {
      await this.#refuse(error, topic);
    }
  }

  async #refuse(error: unknown, topic?: string): Promise<void> {
    const said = problemOf(error);
    if (said === null) this.#options.warn("A message to /ws cannot be answered", error);
    await this.#options.refused(error, topic);
    const { code, detail } = said ?? internalProblem();
    await this.#say({ op: "error", code, detail, ...(topic === undefined ? {} : { topic }) });
    if (this.#who !== null || this.#isOver) return;
    this.#ended();
    this.#socket.close(POLICY_VIOLATION, code);
    setTimeout(() => this.#socket.terminate(), FAREWELL_MS).unref();
  }

  async #do(request: SocketRequest): Promise<void> {
    if (request.op === "hello") return this.#greet(request.token);
    if (this.#who === null) throw new Refused("Unauthenticated", "Say hello first, with a token");
    if (request.op === "ping") return this.#say({ op: "pong" });
    const { topic } = request;
    if (request.op === "unsubscribe") {
      this.#unsubscribe(topic);
      return this.#say({ op: "unsubscribed", topic });
    }
    const { caller, namespace } = this.#who;
    const { scope, open } = topicOf(topic);
    checkScope(caller, scope);
    if (this.#subscriptions.has(topic)) throw new Refused("InvalidMessage", `It is subscribed to ${topic} already`);
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX) {
      throw new Refused("RateLimited", `A connection has ${SUBSCRIPTIONS_MAX} subscriptions at most`);
    }
    const source = await open(this.#options.engine, namespace, request);
    if (this.#isOver) return source.close();
    const { cursor } = source;
    const subscription = { source, cursor, isOver: false };
    this.#subscriptions.set(topic, subscription);
    await this.#say({ op: "subscribed", topic, cursor });
    void this.#pump(topic, subscription);
  }

  async #greet(token: string | undefined): Promise<void> {
    // Programs need not know whether they are asked who they are.
    if (this.#who?.caller === ANYONE) return this.#say({ op: "hello" });
    if (this.#who !== null) throw new Refused("InvalidMessage", "It is known who this is");
    if (token === undefined) throw new Refused("Unauthenticated", "Say hello with a token");
    this.#enter(await this.#options.callerOf(token));
    if (this.#isOver) return this.#leave();
    clearTimeout(this.#hello!);
    await this.#say({ op: "hello" });
  }

  #unsubscribe(topic: string): void {
    const subscription = this.#subscriptions.get(topic);
    if (subscription === undefined) return;
    this.#subscriptions.delete(topic);
    subscription.isOver = true;
    subscription.source.close();
  }

  async #pump(topic: string, subscription: Subscription): Promise<void> {
    try {
      while (!subscription.isOver) {
        // While others are told something, nothing is fetched for this one.
        await this.#sending;
        const batch = await subscription.source.next();
        if (subscription.isOver) return;
        if (batch.kind === "items") {
          this.#options.clients.sent(batch.items.length);
          subscription.cursor = batch.items.at(-1)!.cursor;
          const before = `{"op":"event","topic":${JSON.stringify(topic)},"event":`;
          await this.#send(batch.items.map(({ text }) => `${before}${text}}`));
          continue;
        }
        this.#unsubscribe(topic);
        if (batch.kind === "end") return await this.#say({ op: "end", topic });
        if (!OF_A_CURSOR.has(batch.reason)) return this.drop(batch.reason);
        // Others of this connection are not concerned.
        this.#options.clients.wasDropped(batch.reason);
        return await this.#say({ op: "dropped", reason: batch.reason, topic });
      }
    } catch (error) {
      this.#options.warn("What someone watches cannot be told", error);
      this.#socket.terminate();
    }
  }

  #say(answer: SocketAnswer): Promise<void> {
    return this.#send([JSON.stringify(answer)]);
  }

  /** Resolves when the system has taken them, after all that came before. */
  #send(texts: readonly string[]): Promise<void> {
    const sent = this.#sending.then(() => this.#give(texts));
    this.#sending = sent;
    return sent;
  }

  /** Portion by portion; who takes none of them for long is dropped. */
  async #give(texts: readonly string[]): Promise<void> {
    for (let begun = 0, index = 0; begun < texts.length && !this.#isOver; begun = index) {
      for (let length = 0; index < texts.length && length < PORTION_LENGTH; index++) length += texts[index]!.length;
      const slow = setTimeout(() => this.drop("slow"), this.#options.clients.limits.slowMs);
      await new Promise<void>((resolve) => {
        for (let each = begun; each < index; each++) {
          this.#socket.send(texts[each]!, each === index - 1 ? () => resolve() : () => {});
        }
      });
      clearTimeout(slow);
      this.#lives();
    }
  }
}

function jsonIn(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch (error) {
    throw new Refused("InvalidMessage", "A message is a text with an object of JSON", { cause: error });
  }
}

/** What it is about, also of one that is not understood. */
function topicIn(said: unknown): string | undefined {
  if (typeof said !== "object" || said === null || !("topic" in said)) return undefined;
  return typeof said.topic === "string" ? said.topic : undefined;
}

function requestIn(json: unknown): SocketRequest {
  const { success, data, error } = SocketRequest.safeParse(json, { error: whatIsWanted });
  if (success) return data;
  const [issue] = error.issues;
  throw new Refused("InvalidMessage", `${issue?.path.join(".") || "the message"}: ${issue?.message ?? "is not one"}`);
}
