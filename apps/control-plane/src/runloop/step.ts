import type { BlobError } from "../blobs/blob-store.ts";
import { isReference } from "../blobs/reference.ts";
import { accepts, deliver, type Delivery, type Effect, type Input, proceed } from "@cairnjs/vm";
import type { HistoryRow } from "../store/load-runs.ts";
import { endsRun, type Letter } from "../store/mail.ts";
import { changeQueueRow, newTransition, type Phase, type SuccessfulTry, type Transition } from "../store/transition.ts";
import { type ChildStart, startChild, tellChild } from "./children.ts";
import { startDeadLetter } from "./dead-letter.ts";
import type { Checkpoint, Point } from "./checkpoint.ts";
import { digestOf } from "./digest.ts";
import { forbiddenError, isForbidden } from "./effects-policy.ts";
import { endRun, failedBeforeStart, failForGood } from "./ending.ts";
import { errorText } from "./error-text.ts";
import { recordEvents, type Told } from "./events.ts";
import { beginsJob } from "./expiring.ts";
import { type Arrival, type HeldRun, newOpenStep, type OpenStep } from "./held-run.ts";
import { cancel, isTakenWhilePaused, noteUndelivered, pointWanted, takeLetter } from "./letters.ts";
import { openEffect } from "./open-effects.ts";
import type { CallId, EndedRun, TryId } from "./outside.ts";
import { deadlineOf, parkForOperator, parkIfIdle } from "./parking.ts";
import type { LoadedVersion } from "./programs.ts";
import { recordEvent } from "./run-event.ts";
import { freshMachine, startInput } from "./replay.ts";
import { pointOf, rollBack, takenAgain, wantedNext } from "./turning.ts";
import { loseTry, takeOutcome } from "./tries.ts";
import type { KnownLimit } from "./known-limits.ts";
import { releaseSlot, requestCall, takeGrant } from "./slots.ts";
import type { LimitGroup } from "../store/limits.ts";
import { SLICE_FUEL } from "./turns.ts";

/** Rollbacks and forks have snapshots of their own. */
type TakenInput = Exclude<Input, { readonly kind: "reseed" | "fork" }>;

interface Delivering {
  readonly input: TakenInput;
  /** What it answers. */
  readonly step: OpenStep | null;
  readonly tried: SuccessfulTry | null;
}

type ArrivedLetter = Extract<Arrival, { readonly kind: "letter" }>;

/** What must be looked up before a step can go on. */
export type Unknown =
  /** The current version of a workflow. */
  | { readonly kind: "version"; readonly namespace: string; readonly name: string }
  /** What a letter says that refers to a blob. */
  | { readonly kind: "letter"; readonly letter: Letter }
  /** The state that the run is to go on from. */
  | { readonly kind: "checkpoint"; readonly point: Point }
  /** Signals that the run has taken after an input. */
  | { readonly kind: "signals"; readonly after: number };

export interface StepContext {
  /** The database's time. */
  readonly now: () => number;
  readonly random: () => number;
  /** The current version of a workflow; undefined if it must be looked up first. */
  readonly current: (namespace: string, name: string) => LoadedVersion | null | undefined;
  /** Whether the owner has room for one more run, of this pool, which is then that run's. */
  readonly reserveRoom: (pool: string) => boolean;
  /** What limits an action, if something does. */
  readonly limitOf: (namespace: string, action: string) => KnownLimit | null;
  /** Whether nobody wants events of anything. */
  readonly tellsNobody: () => boolean;
  /** Whether someone wants events of this type. */
  readonly isWanted: (namespace: string, type: string) => boolean;
  /** Whether runs wait for memory. */
  readonly isPressed: () => boolean;
}

/** What is done once the step is committed. */
export interface AfterCommit {
  readonly dispatch: OpenStep[];
  readonly timers: OpenStep[];
  readonly abort: CallId[];
  readonly acknowledge: TryId[];
  readonly children: ChildStart[];
  /** Runs that were sent mail. */
  readonly mailed: string[];
  /** Groups of limited calls in which one waits, or has ended. */
  readonly limited: LimitGroup[];
  ended: EndedRun | null;
  parked: boolean;
  /** It has the end again that it had. */
  putBack: boolean;
  /** It has events for others that someone waits for. */
  published: boolean;
}

/**
 * One step of a run: takes what has arrived, and says what is to be committed and what is to be done afterwards.
 * `work` returns when it is done, or when its time is over and it wants to be called again.
 */
export class Step {
  readonly run: HeldRun;
  readonly context: StepContext;
  readonly transition: Transition;
  /** What it was made of, for making it again. */
  readonly arrivals: readonly Arrival[];
  readonly after: AfterCommit = {
    dispatch: [],
    timers: [],
    abort: [],
    acknowledge: [],
    children: [],
    mailed: [],
    limited: [],
    ended: null,
    parked: false,
    putBack: false,
    published: false,
  };
  unknown: Unknown | null = null;
  /** The state to go on from that it asked for; or why it cannot be had. */
  checkpoint: Checkpoint | null = null;
  turnRefusal: string | null = null;
  /** Signals that it asked for. */
  signals: readonly HistoryRow[] | null = null;
  #queue: Arrival[];
  /** Letters that refer to what cannot be had. */
  readonly #unreadable: Arrival[] = [];
  /** The next one to be taken, if it was a reference and is read. */
  #read: Arrival | null = null;
  /** The input being processed, and what it answers. */
  #delivery: Delivering | null = null;
  /** Effects that have not been looked at. */
  #effects: Effect[] = [];
  #over = false;
  readonly #phaseBefore: HeldRun["machine"]["phase"];
  /** Whether its run was paused when it began. */
  readonly wasPaused: boolean;

  constructor(run: HeldRun, arrivals: readonly Arrival[], context: StepContext) {
    this.run = run;
    this.context = context;
    this.arrivals = arrivals;
    this.#queue = [...arrivals];
    this.#phaseBefore = run.machine.phase;
    this.wasPaused = run.isPaused;
    this.transition = newTransition(run.id);
  }

  /** A step that fails the run for good, whatever it is doing. */
  static failing(run: HeldRun, error: string, context: StepContext): Step {
    const step = new Step(run, [], context);
    failForGood(step, error, context.now());
    return step;
  }

  /** False: call again, after looking up what is `unknown`. */
  work(hasTime: () => boolean): boolean {
    for (;;) {
      if (this.#delivery !== null && !this.#proceed(hasTime)) return false;
      while (this.#effects.length > 0) {
        if (!this.#apply(this.#effects[0]!)) return false;
        this.#effects.shift();
      }
      const arrival = this.#over ? undefined : this.#next();
      if (arrival === undefined) break;
      if (refers(arrival) && arrival !== this.#read) {
        this.unknown = { kind: "letter", letter: arrival.letter };
        return false;
      }
      const point = pointWanted(this.run, arrival);
      if (point !== null && !this.#knows(point)) return false;
      this.#queue.shift();
      this.#take(arrival);
      if (this.#queue.length > 0 && !hasTime()) return false;
    }
    if (!startDeadLetter(this)) return false;
    this.#finish();
    return true;
  }

  /** What the letter says that it asked for. */
  letterSays(value: string): void {
    const { letter } = this.#queue[0] as ArrivedLetter;
    this.#read = { kind: "letter", letter: { ...letter, value } };
    this.#queue[0] = this.#read;
  }

  /**
   * The letter that it asked for cannot be read, and stays where it is. The run waits for an operator, unless someone wants it
   * to end: that takes no letters.
   */
  letterIsUnreadable(error: BlobError): void {
    this.#unreadable.push(this.#queue.shift()!);
    const ending = this.#queue.findIndex((each) => each.kind === "letter" && endsRun(each.letter));
    if (ending === -1) parkForOperator(this, `${error.code}: ${error.message}`);
    else this.#queue.unshift(...this.#queue.splice(ending, 1));
  }

  /** Children that it starts for the same owner, which has reserved room for them. */
  get heldChildren(): number {
    return this.after.children.filter(({ child }) => child.held).length;
  }

  /** What it has not taken. */
  get leftover(): readonly Arrival[] {
    return [...this.#unreadable, ...this.#queue];
  }

  /** The run is over for its owner: what else has arrived stays where it is. */
  leave(): void {
    this.#over = true;
  }

  /**
   * What an input has led to at once, behind what others have and before all that has come from elsewhere: nobody would know of it any
   * more if one of those lets go of the run.
   */
  add(arrival: Arrival): void {
    const index = this.#queue.findIndex(({ kind }) => kind !== "answer" && kind !== "refusal");
    this.#queue.splice(index === -1 ? this.#queue.length : index, 0, arrival);
  }

  /** In their order, before everything else that has arrived. */
  addFirst(arrivals: readonly Arrival[]): void {
    this.#queue = [...arrivals, ...this.#queue];
  }

  /** What an earlier input had asked for is done again. */
  redo(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** What it takes next, which is the first then; nothing else while the run is paused than what ends or resumes it. */
  #next(): Arrival | undefined {
    if (!this.run.isPaused) return this.#queue[0];
    const index = this.#queue.findIndex(isTakenWhilePaused);
    if (index > 0) this.#queue.unshift(...this.#queue.splice(index, 1));
    return index === -1 ? undefined : this.#queue[0];
  }

  #take(arrival: Arrival): void {
    const { run } = this;
    switch (arrival.kind) {
      case "start":
        return this.#start();
      case "outcome":
        return takeOutcome(this, arrival.outcome);
      case "answer":
        return this.answer(arrival.call, "result", arrival.value);
      case "refusal":
        return this.answer(arrival.call, "error", arrival.error);
      case "timer":
        return this.#timer(arrival.call);
      case "letter":
        return takeLetter(this, arrival.letter);
      case "again":
        return this.give({ kind: "signal", at: this.context.now(), name: arrival.name, value: arrival.value });
      case "stranger":
        return loseTry(this, arrival.call, arrival.attempt);
      case "unserved":
        return this.#unserved(arrival);
      case "granted":
        return takeGrant(this, arrival.call, arrival.attempt);
      case "deadline":
        // What is being compensated has failed, or was cancelled, before it; or it was rolled back, and has none any more.
        if (deadlineOf(run) === null) return;
        run.pastDeadline = true;
        return cancel(this, "The deadline of the run has passed");
      case "idle":
    }
  }

  #start(): void {
    const { run, context } = this;
    // It was rolled back to where it goes on.
    if (run.isUnderWay) return;
    if (run.machine.phase === "new" && this.isTooLate) return this.expire();
    const refused = run.machine.phase === "new" ? failedBeforeStart(run) : null;
    if (refused !== null) return endRun(this, "failed", refused, context.now());
    run.machine = freshMachine(run.machine);
    const at = context.now();
    this.give(startInput(run.row, run.attempt, run.machine.inputNumber + 1, at));
    recordEvent(this, "started", null, at);
  }

  /** Whether it must not begin any more. */
  get isTooLate(): boolean {
    const { expiresAt } = this.run.row;
    return expiresAt !== null && expiresAt <= this.context.now();
  }

  expire(): void {
    endRun(this, "cancelled", errorText("Expired", "The run did not begin in time"), this.context.now());
  }

  #unserved({ call, attempt, waitingFor, againInMs }: Extract<Arrival, { readonly kind: "unserved" }>): void {
    const { open, unserved } = this.run;
    const step = open.get(call);
    if (waitingFor === null) unserved.delete(call);
    else if (step !== undefined) unserved.set(call, waitingFor);
    if (againInMs === undefined || step?.attempt !== attempt || step.dispatchedAt === null) return;
    step.dispatchedAt = null;
    if (beginsJob(this.run, step) && this.isTooLate) return this.expire();
    step.dueAt = this.context.now() + againInMs;
    this.after.timers.push(step);
  }

  #timer(call: string): void {
    const step = this.run.open.get(call);
    if (step === undefined) return;
    if (step.effect.kind === "call") {
      step.dueAt = null;
      this.run.unserved.delete(call);
      requestCall(this, step);
    } else {
      this.give({ kind: "timer", at: this.context.now(), call }, step);
    }
  }

  /** Of a call or child, if it is still open. */
  answer(call: string, kind: "result" | "error", value: string, tried: SuccessfulTry | null = null): void {
    const step = this.run.open.get(call);
    if (step === undefined) return;
    const at = this.context.now();
    this.give(kind === "result" ? { kind, at, call, value } : { kind, at, call, error: value }, step, tried);
  }

  /** Whether the state is known that the run is to go on from. */
  #knows(point: Point): boolean {
    if (this.turnRefusal !== null) return true;
    const known = this.checkpoint?.point;
    if (known?.runId === point.runId && known.number === point.number) return true;
    this.unknown = { kind: "checkpoint", point };
    return false;
  }

  /** Everything is undone that was to be. False: something must be looked up first. */
  #undone(next: string): boolean {
    const wanted = wantedNext(next);
    if ("after" in wanted) return this.#beginAgain(wanted.after);
    if (!this.#knows(pointOf(this.run, wanted))) return false;
    rollBack(this, wanted, this.checkpoint!);
    return true;
  }

  /** With the signals that have come while it was undone. */
  #beginAgain(after: number): boolean {
    if (this.signals === null) {
      this.unknown = { kind: "signals", after };
      return false;
    }
    this.addFirst([{ kind: "start" }, ...takenAgain([...this.signals, ...this.transition.history])]);
    return true;
  }

  /** Shows in the queue what the run is doing. */
  mark(phase: Phase = this.#phase()): void {
    const { id, attempt, lastError, pastDeadline, waitingFor } = this.run;
    this.run.shownWaitingFor = waitingFor;
    changeQueueRow(this.transition, { mark: { runId: id, phase, waitingFor, attempt, lastError, pastDeadline } });
  }

  #phase(): Phase {
    const { machine, waitingFor } = this.run;
    if (machine.phase === "compensating") return "compensating";
    return waitingFor === null ? "running" : "waiting";
  }

  /** To the machine, if it takes it. An event that tells of the input is recorded after this, so that it stands behind it. */
  give(input: TakenInput, step: OpenStep | null = null, tried: SuccessfulTry | null = null): void {
    const { run } = this;
    if (!accepts(run.machine, input)) return;
    const noted = { ...input, at: run.notedAt(input.at) };
    this.#delivery = { input: noted, step, tried };
    this.#note(deliver(run.machine, noted, SLICE_FUEL));
  }

  #proceed(hasTime: () => boolean): boolean {
    while (this.#delivery !== null) {
      if (!hasTime()) return false;
      this.#note(proceed(this.run.machine, SLICE_FUEL));
    }
    return true;
  }

  /** Writes the input down, once it has been processed. */
  #note(delivery: Delivery): void {
    if (!delivery.done || this.#delivery === null) return;
    const { run } = this;
    const { input, step, tried } = this.#delivery;
    this.#delivery = null;
    const value = "value" in input ? input.value : "error" in input ? input.error : null;
    const call = "call" in input ? input.call : null;
    this.transition.history.push({
      runId: run.id,
      number: run.machine.inputNumber,
      kind: input.kind,
      call,
      node: step?.effect.node ?? null,
      name: input.kind === "signal" ? input.name : null,
      value: input.kind === "start" ? null : (saidBy(input) ?? value),
      at: run.machine.at,
      digest: digestOf(delivery.effects),
      attempt: input.kind === "start" ? run.attempt : (tried?.attempt ?? null),
      action: tried?.action ?? null,
      worker: tried?.worker ?? null,
      startedAt: tried?.startedAt ?? null,
    });
    run.tookInput(200 + (value?.length ?? 0));
    if (call !== null) this.#forget(call);
    this.#effects.push(...delivery.effects);
  }

  #forget(call: string): void {
    const step = this.run.open.get(call);
    step?.timer?.cancel();
    if (step !== undefined) releaseSlot(this, step);
    this.run.open.delete(call);
    this.run.unserved.delete(call);
  }

  /** False: something must be looked up first. */
  #apply(effect: Effect): boolean {
    const { run, after } = this;
    const opened = openEffect(effect, run.id, run.machine.at, run.machine.inputNumber);
    if (opened !== null) {
      if (opened.kind === "child") return startChild(this, opened);
      const step = newOpenStep(opened);
      run.open.set(opened.id, step);
      if (opened.kind === "call" && isForbidden(run.row.effects, opened.action)) {
        this.add({ kind: "refusal", call: opened.id, error: forbiddenError(opened.action) });
      } else if (opened.kind === "call") requestCall(this, step);
      else if (step.dueAt !== null) after.timers.push(step);
      return true;
    }
    if (effect.kind === "taken") this.#forget(effect.wait);
    else if (effect.kind === "abandon") this.#abandon(effect.call);
    else if (effect.kind === "undone") return this.#undone(effect.next);
    else if (effect.kind === "end") endRun(this, effect.status, effect.value, run.machine.at, effect.trace);
    else recordEvents(this, effect as Told);
    return true;
  }

  #abandon(call: string): void {
    const { run, after } = this;
    const step = run.open.get(call);
    this.#forget(call);
    if (step?.effect.kind === "call") after.abort.push({ runId: run.id, call });
    if (step?.effect.kind === "child") tellChild(this, step.effect, "cancel", "The run that waited for it has ended");
  }

  #finish(): void {
    const { run, transition } = this;
    for (const left of this.#queue) if (left.kind === "again") noteUndelivered(this, left.name, left.value, null);
    if (this.after.ended !== null || this.after.parked) return;
    parkIfIdle(this);
    if (this.after.parked) return;
    if (run.snapshotDue) transition.snapshots.push(run.takeSnapshot());
    const turned = run.machine.phase === "compensating" && this.#phaseBefore !== "compensating";
    const proven = run.crashes > 0 && transition.history.length > 0;
    const waits = run.waitingFor !== run.shownWaitingFor;
    if ((turned || proven || waits || this.wasPaused) && transition.marks.length === 0) this.mark();
  }
}

/** What is written down of an input that is neither an answer nor a signal. */
function saidBy(input: TakenInput): string | null {
  if (input.kind === "cancel") return JSON.stringify(input.reason);
  return input.kind === "undo" ? JSON.stringify({ keep: input.keep, next: input.next }) : null;
}

function refers(arrival: Arrival): arrival is ArrivedLetter {
  return arrival.kind === "letter" && arrival.letter.value !== null && isReference(arrival.letter.value);
}
