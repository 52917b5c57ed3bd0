import { encodeThrown } from "cairnjs/host";
import { type WorkerFrame, PROTOCOL_VERSION } from "@cairnjs/protocol";
import type { CallRef, ControlPlaneAddress, Heartbeat, Hello, RetryPolicy } from "@cairnjs/schemas";
import type { CallId, Dispatch, TryId } from "../runloop/outside.ts";
import type { Room } from "../runloop/pools.ts";
import { type CallRunner, givenBack, type RunnerEvents } from "./call-runner.ts";
import { HeartbeatDetails } from "./heartbeat-details.ts";
import { type HubCall, isUnsent } from "./hub-call.ts";
import type { HubOptions } from "./hub-options.ts";
import { takeInFlight } from "./in-flight.ts";
import { LeftToOthers } from "./left-to-others.ts";
import { LostTries } from "./lost-tries.ts";
import { Missing } from "./missing.ts";
import { Newcomers } from "./newcomers.ts";
import { OpenCalls } from "./open-calls.ts";
import { Outcomes } from "./outcomes.ts";
import { Refused } from "./refused.ts";
import { isSilent, silentCalls } from "./silence.ts";
import { StreamedChunks } from "./streamed-chunks.ts";
import { Unserved } from "./unserved.ts";
import { type SessionLink, WorkerSession } from "./worker-session.ts";

const LOOK_EVERY_MS = 250;
const WRITE_DETAILS_EVERY_MS = 500;
const BACKLOG_EVERY_MS = 100;

/**
 * The workers of a control plane.
 *
 * Owns: the sessions of workers, the calls that wait or are out, outcomes that are not committed.
 * Does not own: runs, which it knows by their calls alone, and the streams, which it knows as links.
 *
 * Invariants:
 *   W1  A call that its owner has not aborted is answered, given back, or comes back as a stranger, whatever streams break.
 *   W2  It is with one worker at a time, as far as anyone here knows.
 *   W3  Nothing that one worker says changes what another one has, or what another namespace has.
 */
export class WorkerHub<Owner> implements CallRunner<Owner> {
  readonly #options: HubOptions;
  readonly #events: RunnerEvents<Owner>;
  readonly #open: OpenCalls<Owner>;
  readonly #outcomes: Outcomes<Owner>;
  readonly #missing: Missing<Owner>;
  readonly #unserved: Unserved<Owner>;
  readonly #newcomers: Newcomers;
  readonly #details: HeartbeatDetails;
  readonly #chunks: StreamedChunks<Owner>;
  readonly #sessions = new Map<string, WorkerSession<Owner>>();
  readonly #lost = new LostTries();
  readonly #left: LeftToOthers;
  #controlPlanes: readonly ControlPlaneAddress[] = [];
  #closing = false;
  #lookedAt = 0;
  #wroteDetailsAt = 0;
  #toldBacklogAt = 0;
  /** Something has happened since the room was shown, and since workers were told what waits. */
  #roomChanged = true;
  #backlogChanged = true;

  constructor(options: HubOptions, events: RunnerEvents<Owner>) {
    const { id, now, blobs, passOn, workersElsewhere, warn, graceMs, sent = () => {} } = options;
    this.#options = options;
    this.#events = events;
    this.#left = new LeftToOthers(now);
    this.#details = new HeartbeatDetails(options.details, warn);
    this.#open = new OpenCalls({
      now,
      blobs,
      warn,
      served: (call) => this.#served(call),
      sent,
      secrets: options.secrets,
      fail: (call, error, retry) => this.#unsent(call, error, retry),
    });
    this.#outcomes = new Outcomes({
      open: this.#open,
      blobs,
      report: (owner, outcomes) => events.report(owner, outcomes),
      passOn,
      accepted: (session, action, { kind, durationMs }) => {
        session.times.add(durationMs, options.now());
        options.ended?.(action, kind, durationMs);
      },
      sessionOf: (key) => this.#sessions.get(key),
    });
    this.#chunks = new StreamedChunks({
      open: this.#open,
      outcomes: this.#outcomes,
      writing: { ...options.chunks, warn },
    });
    this.#missing = new Missing({ now, open: this.#open, lose: (calls) => this.#lose(calls) });
    this.#newcomers = new Newcomers({
      now,
      tell: (namespace, segments) => {
        events.joined(namespace, segments);
        options.joined(namespace, segments);
      },
    });
    this.#unserved = new Unserved({
      id,
      now,
      graceMs,
      open: this.#open,
      workers: (namespace) => [...this.#sessions.values()].filter(({ hello }) => hello.namespace === namespace),
      workersElsewhere,
      tell: (owner, calls) => {
        events.unserved(owner, calls);
        this.#changed();
      },
      leaveToOthers: (namespace) => {
        this.#left.add(namespace);
        this.#changed();
      },
      fail: (call, outcome) => {
        this.#open.remove(call);
        this.#outcomes.report(call.owner, outcome);
      },
      warn,
    });
  }

  get room(): Room {
    const rooms = this.#open.routes.room;
    this.#left.takeFrom(rooms, new Set(Array.from(this.#sessions.values(), ({ hello }) => hello.namespace)));
    return rooms;
  }

  get sessions(): IterableIterator<WorkerSession<Owner>> {
    return this.#sessions.values();
  }

  /** Calls that no worker has. */
  get waiting(): number {
    let calls = 0;
    for (const { waiting } of this.#open.routes.waiting) calls += waiting.size;
    return calls;
  }

  backlogOf(session: WorkerSession<Owner>): number {
    return this.#open.routes.backlogOf(session);
  }

  // Runloops -----------------------------------------------------------------------------------------------------------

  dispatch(owner: Owner, calls: readonly Dispatch[]): void {
    const again: HubCall<Owner>[] = [];
    for (const dispatch of calls) {
      const isFirst = dispatch.attempt === 1;
      const call = this.#open.add(owner, dispatch, isFirst ? "waiting" : "preparing");
      if (isFirst) this.#open.place(call);
      else again.push(call);
    }
    this.#changed();
    if (again.length > 0) void this.#dispatchAgain(again);
  }

  adopt(owner: Owner, calls: readonly Dispatch[]): TryId[] {
    const namespaces = new Set<string>();
    const strangers: TryId[] = [];
    for (const dispatch of calls) {
      if (this.#outcomes.adopt(owner, dispatch)) continue;
      const known = this.#open.get(dispatch);
      if (known === undefined && this.#lost.has(dispatch)) {
        const { runId, call, attempt } = dispatch;
        strangers.push({ runId, call, attempt });
        continue;
      }
      if (known?.dispatch.attempt !== dispatch.attempt || known.dispatch.incarnation !== dispatch.incarnation) {
        this.#missing.claim(this.#open.add(owner, dispatch, "unclaimed"));
        namespaces.add(dispatch.namespace);
        continue;
      }
      known.owner = owner;
      if (known.state === "orphan") this.#open.place(known);
    }
    for (const session of this.#sessions.values()) {
      if (namespaces.has(session.hello.namespace)) session.askInFlight();
    }
    // Whoever adopts what is out has claimed room for it, and needs none.
    this.#changed();
    return strangers;
  }

  abort(calls: readonly CallId[]): void {
    for (const id of calls) {
      const call = this.#open.get(id);
      call?.session?.cancel(tryOf(call), "Cancelled: nobody waits for this call any more");
      this.#outcomes.abort(id);
      if (call !== undefined) this.#open.remove(call);
      this.#details.over(id);
    }
    this.#changed();
  }

  recall(owner: Owner, calls: readonly TryId[]): void {
    const back = calls.filter((id) => {
      const call = this.#open.get(id);
      if (call?.dispatch.attempt !== id.attempt || !isUnsent(call)) return false;
      this.#open.remove(call);
      return true;
    });
    if (back.length === 0) return;
    this.#events.unserved(owner, back.map(givenBack));
    this.#changed();
  }

  acknowledge(calls: readonly TryId[]): void {
    for (const id of calls) {
      const isTriedAgain = this.#outcomes.acknowledge(id);
      if (!isTriedAgain) this.#details.over(id);
      // Its outcome came by another control plane, and by mail.
      const call = this.#open.get(id);
      if (call?.dispatch.attempt === id.attempt) this.#open.remove(call);
    }
    this.#changed();
  }

  reportAgain(owner: Owner): void {
    this.#outcomes.reportAgain(owner);
    for (const call of this.#open) {
      if (call.owner === owner && (call.state === "waiting" || call.state === "preparing")) this.#missing.orphan(call);
    }
    // What waited has left its room to whoever claims these runs again.
    this.#changed();
  }

  /** Calls go on where they run. */
  async idle(): Promise<void> {
    this.#closing = true;
    for (const session of this.#sessions.values()) session.sayGoodbye();
    await Promise.all([this.#details.flush(), this.#chunks.flush()]);
  }

  // Workers ------------------------------------------------------------------------------------------------------------

  /** A worker has said hello. */
  connect(hello: Hello, link: SessionLink): WorkerSession<Owner> {
    if (this.#closing) throw new Refused("Closed", "This control plane is closing");
    const { id, heartbeatMs, fleetChanged } = this.#options;
    const session = new WorkerSession<Owner>(hello, link, this.#options.now());
    const former = this.#sessions.get(session.key);
    if (former !== undefined) {
      former.link.close(new Refused("Closed", `Another stream of the worker ${hello.workerId} has taken its place`));
      this.disconnect(former);
    }
    this.#sessions.set(session.key, session);
    this.#open.routes.addSession(session);
    this.#missing.isBack(session);
    this.#changed();
    link.send({
      welcome: {
        controlPlaneId: id,
        protocolVersion: PROTOCOL_VERSION,
        controlPlanes: [...this.#controlPlanes],
        heartbeatIntervalMs: heartbeatMs,
      },
    });
    fleetChanged();
    this.#newcomers.add(hello.namespace, session);
    return session;
  }

  /** A frame, after the hello. Throws, or rejects, with `Refused` if the stream is to end. */
  async receive(session: WorkerSession<Owner>, frame: WorkerFrame): Promise<void> {
    session.heardAt = this.#options.now();
    if (session.closed) return;
    if (frame.hello !== undefined) throw new Refused("InvalidMessage", "hello stands in the first frame alone");
    if (frame.draining === true) session.draining = true;
    for (const heartbeat of frame.heartbeats ?? []) {
      const { details } = heartbeat;
      const isTold = details === null || "json" in details || (await this.#mayTell(session, details.blob.digest));
      this.#heartbeat(session, isTold ? heartbeat : { ...heartbeat, details: null });
    }
    if (frame.inFlight !== undefined) {
      takeInFlight({ open: this.#open, outcomes: this.#outcomes, missing: this.#missing }, session, frame.inFlight);
    }
    if (frame.chunks !== undefined) await this.#busyWith(session, () => this.#chunks.take(session, frame.chunks!));
    if (frame.outcomes !== undefined) await this.#busyWith(session, () => this.#takeOutcomes(session, frame));
    if (frame.credits !== undefined && !session.closed) {
      session.credit(frame.credits);
      if (!this.#closing) this.#open.feed(session);
    }
    const isHeartbeat = frame.outcomes === undefined && frame.credits === undefined && frame.draining === undefined;
    if (!isHeartbeat) this.#changed();
  }

  /** It has read what there was no more room beside. */
  hasRead(session: WorkerSession<Owner>): void {
    if (!this.#closing && !session.closed) this.#open.feed(session);
  }

  /** It has ended its stream itself: one that was about to end has ended. */
  finish(session: WorkerSession<Owner>): void {
    if (session.draining) session.over = true;
    this.disconnect(session);
  }

  /** Its stream is gone; unless it comes back soon, so is what it ran. */
  disconnect(session: WorkerSession<Owner>): void {
    if (session.closed) return;
    session.closed = true;
    if (this.#sessions.get(session.key) === session) this.#sessions.delete(session.key);
    this.#open.routes.removeSession(session);
    if (session.over) this.#lose([...session.calls]);
    else this.#missing.left(session);
    this.#changed();
    this.#options.fleetChanged();
  }

  /** Ends all streams: what workers have, they offer to others. */
  close(): void {
    this.#closing = true;
    this.#chunks.close();
    for (const session of this.#sessions.values()) {
      session.link.close(new Refused("Closed", "This control plane has ended"));
      this.disconnect(session);
    }
  }

  tellControlPlanes(addresses: readonly ControlPlaneAddress[]): void {
    this.#controlPlanes = addresses;
    for (const session of this.#sessions.values()) session.tellControlPlanes(addresses);
  }

  /** To be called every few milliseconds. */
  tick(): void {
    const now = this.#options.now();
    this.#open.tick();
    this.#missing.tick();
    if (this.#closing) return;
    this.#open.feedHungry();
    this.#newcomers.tick();
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now;
      this.#dropSilent(now);
      this.#unserved.tick();
      if (this.#left.tick()) this.#changed();
    }
    if (now - this.#wroteDetailsAt >= WRITE_DETAILS_EVERY_MS) {
      this.#wroteDetailsAt = now;
      void this.#details.flush();
    }
    if (this.#backlogChanged && now - this.#toldBacklogAt >= BACKLOG_EVERY_MS) {
      this.#toldBacklogAt = now;
      this.#backlogChanged = false;
      for (const session of this.#sessions.values()) session.tellBacklog(this.backlogOf(session));
    }
    if (this.#roomChanged) this.#events.roomChanged();
    this.#roomChanged = false;
  }

  #changed(): void {
    this.#roomChanged = true;
    this.#backlogChanged = true;
  }

  async #takeOutcomes(session: WorkerSession<Owner>, { outcomes = [] }: WorkerFrame): Promise<void> {
    await this.#chunks.flushed(outcomes);
    await this.#outcomes.take(session, outcomes);
  }

  async #busyWith(session: WorkerSession<Owner>, work: () => Promise<void>): Promise<void> {
    session.busy += 1;
    try {
      await work();
    } finally {
      session.busy -= 1;
      session.heardAt = this.#options.now();
    }
  }

  #heartbeat(session: WorkerSession<Owner>, { details, ...id }: Heartbeat): void {
    const call = this.#open.get(id);
    // Of a run that another control plane has, or of a try that was given up.
    if (call?.session !== session || call.dispatch.attempt !== id.attempt) return;
    call.heardAt = session.heardAt;
    if (details !== null) this.#details.tell(id, id.attempt, details);
  }

  /** Whether a blob that it names is for the next try, which may be at another worker: one who may read less, or more. */
  async #mayTell(session: WorkerSession<Owner>, digest: string): Promise<boolean> {
    const { ownBlobs } = session.link;
    const { vouched, warn } = this.#options;
    let may = true;
    await this.#busyWith(session, async () => {
      try {
        if (ownBlobs === null) await vouched(session.hello.namespace, digest);
        else may = await ownBlobs.has(digest);
      } catch (error) {
        warn("What calls tell in heartbeats cannot be looked at", error);
        may = false;
      }
    });
    return may;
  }

  #dropSilent(now: number): void {
    const { heartbeatMs } = this.#options;
    for (const session of this.#sessions.values()) {
      if (isSilent(session, now, heartbeatMs)) {
        session.over = true;
        session.link.close(new Refused("Unavailable", "Nothing was heard of the worker for too long"));
        this.disconnect(session);
        continue;
      }
      const silent = silentCalls(session, now, heartbeatMs);
      for (const call of silent) session.cancel(tryOf(call), "Lost: nothing was heard of it for too long");
      this.#lose(silent);
    }
  }

  /** Whoever ran them is gone: their owners make others of them. */
  #lose(calls: readonly HubCall<Owner>[]): void {
    const byOwner = new Map<Owner, TryId[]>();
    for (const call of calls) {
      this.#open.remove(call);
      this.#lost.add(call.dispatch);
      const tries = byOwner.get(call.owner);
      if (tries === undefined) byOwner.set(call.owner, [tryOf(call)]);
      else tries.push(tryOf(call));
    }
    for (const [owner, tries] of byOwner) this.#events.strangers(owner, tries);
  }

  /** They are told what earlier tries have told. */
  async #dispatchAgain(calls: readonly HubCall<Owner>[]): Promise<void> {
    const details = await this.#details.of(calls.map(({ dispatch }) => dispatch));
    for (const call of calls) {
      if (!this.#open.has(call) || call.state !== "preparing") continue;
      call.details = details.get(call.key) ?? null;
      this.#open.place(call);
    }
    this.#changed();
  }

  /** It cannot be sent as it is: its owner hears of it as of a try that has failed. */
  #unsent(call: HubCall<Owner>, error: Error, retry: RetryPolicy | null): void {
    const { owner, dispatch } = call;
    this.#open.remove(call);
    const value = encodeThrown(error).text;
    const worker = `control plane ${this.#options.id}`;
    this.#outcomes.report(owner, { ...tryOf(call), kind: "error", value, retry, worker, durationMs: 0 });
    this.#options.warn(`${dispatch.action} was not sent`, error, {
      namespace: dispatch.namespace,
      runId: dispatch.runId,
      call: dispatch.call,
      attempt: dispatch.attempt,
      action: dispatch.action,
    });
    this.#changed();
  }

  #served({ owner, dispatch: { runId, call, attempt } }: HubCall<Owner>): void {
    this.#events.unserved(owner, [{ runId, call, attempt, waitingFor: null }]);
  }
}

function tryOf<Owner>({ dispatch: { incarnation, runId, call, attempt } }: HubCall<Owner>): CallRef {
  return { incarnation, runId, call, attempt };
}
