import { type Encoded, encodeFull, encodeState, type Machine, measureState } from "@cairnjs/vm";
import type { RunRow } from "../store/load-runs.ts";
import { type Letter, turnsRun } from "../store/mail.ts";
import type { NewSnapshot } from "../store/transition.ts";
import type { OpenEffect } from "./open-effects.ts";
import type { CallOutcome, UnservedCall } from "./outside.ts";
import type { LoadedVersion } from "./programs.ts";
import type { Timer } from "./timers.ts";

/** Something that concerns a run and has not been dealt with. */
export type Arrival =
  /** It begins, or begins again. */
  | { readonly kind: "start" }
  | { readonly kind: "outcome"; readonly outcome: CallOutcome }
  /** A child that lives on its own is being started with this transition. */
  | { readonly kind: "answer"; readonly call: string; readonly value: string }
  /** A child cannot be started. */
  | { readonly kind: "refusal"; readonly call: string; readonly error: string }
  | { readonly kind: "timer"; readonly call: string }
  | { readonly kind: "letter"; readonly letter: Letter }
  /** A signal that it had taken before it was rolled back. */
  | { readonly kind: "again"; readonly name: string; readonly value: string }
  /** Nobody runs a call that was open when the run was taken over. */
  | { readonly kind: "stranger"; readonly call: string; readonly attempt: number }
  /** No worker can run a call that is open, or none has begun it. */
  | ({ readonly kind: "unserved" } & Pick<UnservedCall, "call" | "attempt" | "waitingFor" | "againInMs">)
  /** It is the turn of a call whose action is limited. */
  | { readonly kind: "granted"; readonly call: string; readonly attempt: number }
  | { readonly kind: "deadline" }
  /** Nothing has happened for a while. */
  | { readonly kind: "idle" };

/** A call, child, sleep or wait that has not been answered. */
export interface OpenStep {
  readonly effect: OpenEffect;
  /** The number of the current try. */
  attempt: number;
  failed: number;
  lost: number;
  /** When it rings: the sleep, the timeout of the wait, the next try. */
  dueAt: number | null;
  timer: Timer | null;
  dispatchedAt: number | null;
  /** Of a call whose action is limited. */
  slot: Slot | null;
}

/** A place among the calls of an action that is limited: its turn has come, or it waits for that. */
interface Slot {
  /** The try that asked for it. */
  readonly attempt: number;
  readonly key: string;
  granted: boolean;
}

export function newOpenStep(effect: OpenEffect): OpenStep {
  const dueAt = effect.kind === "sleep" || effect.kind === "wait" ? effect.until : null;
  const attempt = 1 + ((effect.kind === "call" ? effect.tried : undefined) ?? 0);
  return { effect, attempt, failed: 0, lost: 0, dueAt, timer: null, dispatchedAt: null, slot: null };
}

/** What is open, by call. Knows what its texts weigh: a fan of calls has all arguments here. */
class OpenSteps extends Map<string, OpenStep> {
  bytes = 0;

  override set(call: string, step: OpenStep): this {
    this.delete(call);
    this.bytes += bytesOf(step);
    return super.set(call, step);
  }

  override delete(call: string): boolean {
    const step = this.get(call);
    if (step !== undefined) this.bytes -= bytesOf(step);
    return super.delete(call);
  }
}

const STEP_BYTES = 300;

function bytesOf({ effect }: OpenStep): number {
  const text = effect.kind === "call" ? effect.args : effect.kind === "child" ? effect.input : "";
  return STEP_BYTES + text.length;
}

/** What a run takes in memory beside its machine's state. */
export const RUN_BYTES = 2_048;
/** A machine that may have grown by less is not measured again. */
const WEIGH_BYTES_MIN = 32 * 1024;

/** In one step: a transition stays small, whatever has come. */
const ARRIVALS_MAX = 1_000;

/** History since the last snapshot that makes a new one worth its bytes. */
const SNAPSHOT_BYTES_MIN = 64 * 1024;
const SNAPSHOT_INPUTS_MAX = 500;

/**
 * A run in the memory of its owner.
 *
 * Owns: its machine, what is open, what has arrived. Everything here can be made again from the store, and is dropped
 * with the ownership.
 *
 * Invariants:
 *   H1  At most one step is under way: between taking arrivals and the commit of what they caused, none is taken.
 *   H2  After a commit that failed, nothing of this is used again.
 *   H3  A run that is paused is let go of with the step that finds it so: it was woken by what ends or resumes it, or by its deadline.
 */
export class HeldRun {
  readonly row: RunRow;
  readonly version: LoadedVersion;
  machine: Machine;
  readonly open = new OpenSteps();
  arrivals: Arrival[] = [];
  /** Of letters that were given to it and are not done with. */
  letterBytes = 0;
  /** Whether there are letters that wait for these to be done with: then it does not leave memory. */
  hasMoreMail = false;
  /** So many of the arrivals are taken one by one: what came of them together was refused. */
  suspects = 0;
  /** Calls that may be dispatched once others have ended. */
  waiting: OpenStep[] = [];
  busy = false;
  attempt: number;
  lastError: string | null = null;
  startedAt: number | null = null;
  pastDeadline = false;
  /** Whether it takes no inputs until it is resumed. */
  isPaused = false;
  deadline: number | null;
  /** What calls of it wait for that no worker can run, for people. */
  readonly unserved = new Map<string, string>();
  /** What of that its row in the queue shows. */
  shownWaitingFor: string | null = null;
  /** Segments that workers came for while a step was under way. */
  joined: ReadonlySet<string> | null = null;
  crashes = 0;
  /** Whether someone may have been running calls of it when it was claimed. */
  callsOut = false;
  /** What it has open is not known: it is held only to be ended. */
  isWithoutState = false;
  /** Whether a call of it was made, or adopted, since it is held. */
  hasCalled = false;
  /** Whether it has taken room for a call that is to come. */
  hasRoom = true;
  deadlineTimer: Timer | null = null;
  /** Of a job whose call is out: when that must have begun. */
  expiryTimer: Timer | null = null;
  idleTimer: Timer | null = null;
  /** Of the newest snapshot; 0 before there is one. */
  snapshotNumber = 0;
  #snapshotBase = 0;
  #snapshotBytes = 0;
  #bytesSince = 0;
  #notedAt = 0;
  /** What its machine measured when it was weighed last, and how much it had allocated then. */
  #measured = 0;
  #allocatedThen = 0;

  constructor(row: RunRow, version: LoadedVersion, machine: Machine, attempt: number) {
    this.row = row;
    this.deadline = row.deadline;
    this.version = version;
    this.machine = machine;
    this.attempt = attempt;
  }

  get id(): string {
    return this.row.id;
  }

  /** What the database has noted of it. */
  wasNoted(at: number): void {
    this.#notedAt = Math.max(this.#notedAt, at);
  }

  /**
   * A time as it is noted of this run: never before one that was, here or in the transaction that gave it to this owner. What a process knows of the
   * database's time is a little behind it.
   */
  notedAt(at: number): number {
    this.wasNoted(Math.max(at, this.machine.at));
    return this.#notedAt;
  }

  /** The number of the last input that it has taken; null: that is not known. */
  get lastInput(): number | null {
    return this.isWithoutState ? null : this.machine.inputNumber;
  }

  /** Whether it has begun and is not over. */
  get isUnderWay(): boolean {
    return this.machine.phase === "running" || this.machine.phase === "compensating";
  }

  /** What the first of its calls waits for that no worker can run. */
  get waitingFor(): string | null {
    const [first] = this.unserved.values();
    return first ?? null;
  }

  restoredFrom(number: number, base: number, bytes: number, historyBytes: number): void {
    this.snapshotNumber = number;
    this.#snapshotBase = base;
    this.#snapshotBytes = bytes;
    this.#bytesSince = historyBytes;
  }

  tookInput(bytes: number): void {
    this.#bytesSince += bytes;
  }

  /**
   * What it takes in memory, roughly. A machine counts what it allocates, most of which is garbage soon; so it is measured
   * once it may have doubled, which stays a small part of the work that makes it grow.
   */
  weigh(): number {
    const allocated = Math.max(0, this.machine.bytesAllocated);
    if (allocated < this.#allocatedThen) {
      // It has measured itself, or is another one.
      this.#measured = allocated;
      this.#allocatedThen = allocated;
    } else if (allocated - this.#allocatedThen > Math.max(WEIGH_BYTES_MIN, this.#measured)) {
      this.#measured = Math.min(allocated, measureState(this.machine));
      this.#allocatedThen = allocated;
    }
    const state = this.#measured + allocated - this.#allocatedThen;
    return RUN_BYTES + this.row.payload.length + this.open.bytes + this.letterBytes + state;
  }

  /**
   * What its next step is made of. What turns the run is taken alone, since it looks at what is committed; or with what resumes it, so that
   * nothing is called in between.
   */
  takeArrivals(): Arrival[] {
    if (this.suspects === 0) {
      const turn = this.arrivals.findIndex((each) => each.kind === "letter" && turnsRun(each.letter));
      if (turn === -1) return this.arrivals.splice(0, ARRIVALS_MAX);
      const together = this.arrivals.slice(0, turn).every(isPauseOrResume);
      return this.arrivals.splice(0, Math.min(together ? turn + 1 : turn, ARRIVALS_MAX));
    }
    this.suspects -= 1;
    return this.arrivals.splice(0, 1);
  }

  get inputsSinceSnapshot(): number {
    return this.machine.inputNumber - this.snapshotNumber;
  }

  get snapshotDue(): boolean {
    return (
      this.inputsSinceSnapshot >= SNAPSHOT_INPUTS_MAX ||
      this.#bytesSince > Math.max(SNAPSHOT_BYTES_MIN, this.#snapshotBytes)
    );
  }

  takeSnapshot(): NewSnapshot {
    return this.#snapshot(encodeState(this.machine));
  }

  /** One that is no delta of what was before. */
  takeFullSnapshot(): NewSnapshot {
    return this.#snapshot(encodeFull(this.machine));
  }

  #snapshot(encoded: Encoded): NewSnapshot {
    const number = this.machine.inputNumber;
    if (encoded.kind === "full") this.#snapshotBase = number;
    this.snapshotNumber = number;
    this.#snapshotBytes = encoded.bytes.length;
    this.#bytesSince = 0;
    return {
      runId: this.id,
      number,
      base: this.#snapshotBase,
      bytes: Buffer.from(encoded.bytes.buffer, encoded.bytes.byteOffset, encoded.bytes.byteLength).toString("hex"),
      blob: null,
      blobBytes: null,
      open: JSON.stringify(Array.from(this.open.values(), ({ effect }) => effect)),
    };
  }

  /** No timer of it rings any more. */
  silence(): void {
    for (const { timer } of this.open.values()) timer?.cancel();
    this.deadlineTimer?.cancel();
    this.expiryTimer?.cancel();
    this.idleTimer?.cancel();
  }
}

function isPauseOrResume(arrival: Arrival): boolean {
  return arrival.kind === "letter" && (arrival.letter.kind === "pause" || arrival.letter.kind === "resume");
}
