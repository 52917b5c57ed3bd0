import { callKey } from "@cairnjs/worker/host";
import type { CallRef, Outcome } from "@cairnjs/schemas";
import { BlobError, type BlobStore } from "../blobs/blob-store.ts";
import { errorText } from "../runloop/error-text.ts";
import { valueIssue } from "../runloop/input-check.ts";
import type { CallId, CallOutcome, TryId } from "../runloop/outside.ts";
import type { HubCall } from "./hub-call.ts";
import type { OpenCalls } from "./open-calls.ts";
import { Refused } from "./refused.ts";
import { textOfValue } from "./values.ts";
import type { WorkerSession } from "./worker-session.ts";

export interface OutcomesOptions<Owner> {
  readonly open: OpenCalls<Owner>;
  readonly blobs: BlobStore;
  readonly report: (owner: Owner, outcomes: readonly CallOutcome[]) => void;
  /** Puts outcomes into the mail of runs that nobody holds here. Returns the ids of those that live in the namespace. */
  readonly passOn: (namespace: string, outcomes: readonly CallOutcome[]) => Promise<ReadonlySet<string>>;
  /** A worker has told how a try of an action has ended. */
  readonly accepted: (session: WorkerSession<Owner>, action: string, outcome: CallOutcome) => void;
  readonly sessionOf: (workerKey: string) => WorkerSession<Owner> | undefined;
}

/** Calls of which tries have ended, so that whoever answers one again is told so at once. */
const ENDED_KEPT = 10_000;

/** Begins the reason of a cancel: the outcome of a call that is not open, or not the worker's. */
const NOT_OPEN = "NotOpen";

interface Held<Owner> {
  owner: Owner;
  readonly outcome: CallOutcome;
  readonly worker: string;
}

/** What becomes of an outcome that a worker offers. */
type Verdict<Owner> =
  | { readonly kind: "ours"; readonly call: HubCall<Owner> }
  /** Of a run that is not held here, as far as is known. */
  | { readonly kind: "foreign" }
  | { readonly kind: "held" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Owns: outcomes that were reported and are not committed.
 *
 * Invariants:
 *   O1  A worker is told that an outcome is acknowledged only when it is durable: committed, or in the mail of its run.
 *   O2  What is no value, or comes from a worker that was not asked, never reaches a run.
 */
export class Outcomes<Owner> {
  readonly #options: OutcomesOptions<Owner>;
  /** By call, of one incarnation each: whoever commits or aborts names no incarnation, and only of the newest is anything awaited. */
  readonly #held = new Map<string, Held<Owner>[]>();
  /** The last try of each that has ended, by incarnation too: another control plane may dispatch the next one. */
  readonly #ended = new Map<string, number>();
  readonly #reports = new Map<Owner, CallOutcome[]>();

  constructor(options: OutcomesOptions<Owner>) {
    this.#options = options;
  }

  /** Resolves when all are reported, passed on or refused; rejects if that cannot be now. */
  async take(session: WorkerSession<Owner>, outcomes: readonly Outcome[]): Promise<void> {
    const foreign: CallOutcome[] = [];
    for (const outcome of outcomes) {
      const first = this.#judge(session, outcome);
      if (first.kind === "refused") session.cancel(outcome, first.reason);
      if (first.kind === "refused" || first.kind === "held") continue;
      const ended =
        "json" in outcome.value ? checked(session, outcome, outcome.value.json) : await this.#read(session, outcome);
      // While it was read, something else may have become of the call.
      const verdict = this.#judge(session, outcome);
      if (verdict.kind === "ours") this.#accept(session, verdict.call, ended);
      else if (verdict.kind === "foreign") foreign.push(ended);
      else if (verdict.kind === "refused") session.cancel(outcome, verdict.reason);
    }
    if (foreign.length > 0) await this.#passOn(session, foreign);
  }

  /** An outcome that no worker has told. */
  report(owner: Owner, outcome: CallOutcome): void {
    const waiting = this.#reports.get(owner);
    if (waiting !== undefined) return void waiting.push(outcome);
    const outcomes = [outcome];
    this.#reports.set(owner, outcomes);
    queueMicrotask(() => {
      this.#reports.delete(owner);
      this.#options.report(owner, outcomes);
    });
  }

  /** Committed. Returns whether there is another try of the call to come, as far as is known. */
  acknowledge(id: TryId): boolean {
    const key = callKey(id);
    const held = this.#held.get(key) ?? [];
    const committed = held.filter(({ outcome }) => outcome.attempt === id.attempt);
    const left = held.filter(({ outcome }) => outcome.attempt !== id.attempt);
    // Another try of the call, made since its run was rolled back, is another matter.
    if (left.length > 0) this.#held.set(key, left);
    else this.#held.delete(key);
    // Of one that came by mail, and is known here no more, whoever holds the run knows that it has ended.
    const incarnation = this.#options.open.get(id)?.dispatch.incarnation ?? committed[0]?.outcome.incarnation;
    if (left.length === 0 && incarnation !== undefined) this.#end({ ...id, incarnation });
    for (const { outcome, worker } of committed) this.#options.sessionOf(worker)?.acknowledge(refOf(outcome));
    return committed.length === 0 || left.length > 0 || committed.some(({ outcome }) => outcome.retry !== null);
  }

  /** Nobody waits for the call any more, with its tries so far: it may be made again. */
  abort(id: CallId): void {
    for (const { outcome } of this.#held.get(callKey(id)) ?? []) this.#end(outcome);
    const current = this.#options.open.get(id);
    if (current !== undefined) this.#end(current.dispatch);
  }

  hasEnded(id: CallRef): boolean {
    return this.#hasEnded(id) && this.#options.open.get(id) === undefined;
  }

  #hasEnded(id: CallRef): boolean {
    return id.attempt <= (this.#ended.get(pastKey(id)) ?? 0);
  }

  #end(id: CallRef): void {
    const { attempt } = id;
    const key = pastKey(id);
    const former = this.#ended.get(key) ?? 0;
    this.#ended.delete(key);
    this.#ended.set(key, Math.max(former, attempt));
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > ENDED_KEPT) this.#ended.delete(oldest!);
  }

  /** Whoever holds the run now knows nothing of what was reported before. Returns whether this try has ended. */
  adopt(owner: Owner, id: CallRef): boolean {
    const held = this.#heldOf(id);
    if (held.length === 0) this.#held.delete(callKey(id));
    for (const each of held) {
      each.owner = owner;
      this.report(owner, each.outcome);
    }
    return held.some(({ outcome }) => outcome.attempt === id.attempt);
  }

  #heldOf(id: CallRef): readonly Held<Owner>[] {
    const held = this.#held.get(callKey(id)) ?? [];
    return held.filter(({ outcome }) => outcome.incarnation === id.incarnation);
  }

  reportAgain(to: Owner): void {
    for (const { owner, outcome } of [...this.#held.values()].flat()) if (owner === to) this.report(owner, outcome);
  }

  #judge(session: WorkerSession<Owner>, outcome: Outcome): Verdict<Owner> {
    const { open } = this.#options;
    const call = open.get(outcome);
    const held = this.#heldOf(outcome);
    if (call !== undefined && call.dispatch.incarnation !== outcome.incarnation) {
      return refused("it was made before the database was restored");
    }
    if (held.some((each) => each.outcome.attempt === outcome.attempt && each.worker === session.key)) {
      return { kind: "held" };
    }
    if (call === undefined || call.dispatch.attempt < outcome.attempt) {
      const isKnown = held.some((each) => each.outcome.attempt >= outcome.attempt);
      return isKnown || this.#hasEnded(outcome) ? refused("the call is not open") : { kind: "foreign" };
    }
    if (call.dispatch.namespace !== session.hello.namespace) return refused("the call is not open");
    if (call.dispatch.attempt > outcome.attempt) {
      // The result of a try that was given up is one; its error changes nothing.
      return outcome.kind === "result" ? { kind: "ours", call } : refused("another try has taken its place");
    }
    const isAsked = call.worker === null || call.worker === session.key;
    return isAsked ? { kind: "ours", call } : refused("the call was dispatched to another worker");
  }

  /** What is not there, or no value, is the failure of its try; what cannot be read now is offered again. */
  async #read(session: WorkerSession<Owner>, outcome: Outcome): Promise<CallOutcome> {
    try {
      return checked(session, outcome, await textOfValue(session.link.ownBlobs ?? this.#options.blobs, outcome.value));
    } catch (error) {
      if (!(error instanceof BlobError) || error.code === "BlobUnreadable") throw unavailable(error);
      return malformed(session, outcome, error.message);
    }
  }

  #accept(session: WorkerSession<Owner>, call: HubCall<Owner>, outcome: CallOutcome): void {
    const { open, accepted } = this.#options;
    const { owner, key } = call;
    // Those of a past that was lost are not wanted any more.
    this.#held.set(key, [...this.#heldOf(outcome), { owner, outcome, worker: session.key }]);
    accepted(session, call.dispatch.action, outcome);
    // The try that took the place of one that has ended after all goes on until its owner aborts it.
    if (call.dispatch.attempt === outcome.attempt) open.remove(call);
    this.report(owner, outcome);
  }

  async #passOn(session: WorkerSession<Owner>, outcomes: readonly CallOutcome[]): Promise<void> {
    const { passOn } = this.#options;
    const living = await passOn(session.hello.namespace, outcomes).catch((error: unknown) => {
      throw unavailable(error);
    });
    for (const outcome of outcomes) {
      if (living.has(outcome.runId)) session.acknowledge(refOf(outcome));
      else session.cancel(refOf(outcome), `${NOT_OPEN}: the run has ended, or there is none`);
    }
  }
}

/** After a restore the same call may be made again, with the same numbers. */
function pastKey(id: CallRef): string {
  return `${id.incarnation}/${callKey(id)}`;
}

function refused(why: string): { readonly kind: "refused"; readonly reason: string } {
  return { kind: "refused", reason: `${NOT_OPEN}: ${why}` };
}

function unavailable(cause: unknown): Refused {
  return new Refused("Unavailable", "Outcomes cannot be taken at the moment: offer them again", { cause });
}

function refOf({ incarnation, runId, call, attempt }: CallOutcome): CallRef {
  return { incarnation, runId, call, attempt };
}

function checked<Owner>(session: WorkerSession<Owner>, outcome: Outcome, text: string): CallOutcome {
  const issue = valueIssue(text);
  if (issue !== null) return malformed(session, outcome, issue);
  const { incarnation, runId, call, attempt, kind, retry, durationMs } = outcome;
  const { workerId: worker } = session.hello;
  return { incarnation, runId, call, attempt, kind, value: text, retry, worker, durationMs };
}

/** Another try would end no better. */
function malformed<Owner>(session: WorkerSession<Owner>, outcome: Outcome, issue: string): CallOutcome {
  const { incarnation, runId, call, attempt, durationMs } = outcome;
  const { workerId } = session.hello;
  const value = errorText("InvalidOutput", `The worker ${workerId} answered with what is no value: ${issue}`);
  return { incarnation, runId, call, attempt, kind: "error", value, retry: null, worker: workerId, durationMs };
}
