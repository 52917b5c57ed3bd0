import type { RunEventKind } from "@cairnjs/schemas";
import type { HistoryRow } from "./load-runs.ts";

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

/** The rows of a transition, by what they are. */
export interface TransitionRows {
  readonly history: NewHistory[];
  readonly snapshots: NewSnapshot[];
  readonly attempts: NewAttempt[];
  readonly parked: ParkedRun[];
  readonly marks: RunMark[];
  readonly ended: EndedRun[];
  readonly left: LeftRun[];
  readonly readMail: ReadMail[];
  readonly mail: NewMail[];
  readonly turned: TurnedRun[];
  readonly putBack: PutBackRun[];
  readonly children: NewChild[];
  readonly events: NewEvent[];
  readonly outbox: NewOutboxEvent[];
  readonly limited: NewLimitedCall[];
  readonly released: ReleasedCall[];
}

/**
 * The rows that one transition of one run writes. They are committed together, with those of other runs, or not at all.
 * Lists are made when they are first asked for: most transitions have rows of two or three kinds.
 */
export class Transition implements TransitionRows {
  readonly runId: string;
  readonly #lists: { -readonly [K in keyof TransitionRows]?: TransitionRows[K] } = {};

  constructor(runId: string) {
    this.runId = runId;
  }

  /** The rows of a kind, if there are any. */
  peek<K extends keyof TransitionRows>(kind: K): TransitionRows[K] | undefined {
    return this.#lists[kind];
  }

  /** Of the texts of its snapshots. */
  get snapshotsLength(): number {
    return this.#lists.snapshots?.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0) ?? 0;
  }

  get history(): NewHistory[] {
    return (this.#lists.history ??= []);
  }

  get snapshots(): NewSnapshot[] {
    return (this.#lists.snapshots ??= []);
  }

  get attempts(): NewAttempt[] {
    return (this.#lists.attempts ??= []);
  }

  get parked(): ParkedRun[] {
    return (this.#lists.parked ??= []);
  }

  get marks(): RunMark[] {
    return (this.#lists.marks ??= []);
  }

  get ended(): EndedRun[] {
    return (this.#lists.ended ??= []);
  }

  get left(): LeftRun[] {
    return (this.#lists.left ??= []);
  }

  get readMail(): ReadMail[] {
    return (this.#lists.readMail ??= []);
  }

  get mail(): NewMail[] {
    return (this.#lists.mail ??= []);
  }

  get turned(): TurnedRun[] {
    return (this.#lists.turned ??= []);
  }

  get putBack(): PutBackRun[] {
    return (this.#lists.putBack ??= []);
  }

  get children(): NewChild[] {
    return (this.#lists.children ??= []);
  }

  get events(): NewEvent[] {
    return (this.#lists.events ??= []);
  }

  get outbox(): NewOutboxEvent[] {
    return (this.#lists.outbox ??= []);
  }

  get limited(): NewLimitedCall[] {
    return (this.#lists.limited ??= []);
  }

  get released(): ReleasedCall[] {
    return (this.#lists.released ??= []);
  }
}

/** The try that an action's result came from. */
export interface SuccessfulTry {
  readonly attempt: number;
  readonly action: string;
  readonly worker: string;
  readonly startedAt: number;
}

export interface NewHistory extends HistoryRow, Nullable<SuccessfulTry> {}

export interface NewSnapshot {
  readonly runId: string;
  readonly number: number;
  readonly base: number;
  /** In hex; null if they are in a blob. */
  readonly bytes: string | null;
  readonly blob: string | null;
  readonly blobBytes: number | null;
  readonly open: string;
}

/** A try that came to nothing. */
interface NewAttempt {
  readonly runId: string;
  readonly call: string;
  readonly attempt: number;
  readonly node: string;
  readonly action: string;
  readonly worker: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: "failed" | "lost";
  readonly error: string | null;
  readonly retryAt: number | null;
}

export type Phase = "ready" | "running" | "sleeping" | "waiting" | "paused" | "cancelling" | "compensating";

/** The owner lets go of it until it is due, or has mail. */
interface ParkedRun {
  readonly runId: string;
  readonly wakeAt: number | null;
  readonly phase: Phase;
  readonly waitingFor: string | null;
  readonly attempt: number;
  readonly lastError: string | null;
  readonly pastDeadline: boolean;
  /** Whether someone may be running calls of it. */
  readonly callsOut: boolean;
}

/** What is to be seen of a run that stays with its owner; its take-overs are forgotten, since it has made progress. */
interface RunMark {
  readonly runId: string;
  readonly phase: Phase;
  /** A worker, if there is none. */
  readonly waitingFor: string | null;
  readonly attempt: number;
  readonly lastError: string | null;
  readonly pastDeadline: boolean;
}

interface EndedRun {
  readonly runId: string;
  /** Null: it was deleted, and keeps the status it had. */
  readonly status: "succeeded" | "failed" | "cancelled" | null;
  readonly result: string | null;
  readonly error: string | null;
  /** Where in the source it comes from. */
  readonly trace: string | null;
  readonly lastError: string | null;
  readonly attempt: number;
  readonly startedAt: number | null;
  readonly endedAt: number;
  /** Of one that was deleted with the run that waited for it. */
  readonly deleteReason: string | null;
  /** The number of its last input; null: that is to be looked up. */
  readonly afterInput: number | null;
}

/** Of one that was deleted while it lived: what it goes on with if it is restored. */
interface LeftRun {
  readonly runId: string;
  readonly phase: "paused" | "ready";
  readonly attempt: number;
  readonly lastError: string | null;
  readonly pastDeadline: boolean;
  readonly callsOut: boolean;
}

export interface ReadMail {
  readonly runId: string;
  readonly id: number;
}

export type MailKind =
  | "signal"
  | "cancel"
  | "pause"
  | "resume"
  | "delete"
  | "retry"
  | "rollback"
  | "fork"
  | "result"
  | "error"
  | "outcome"
  /** It is the turn of a call whose action is limited. */
  | "granted";

export interface NewMail {
  readonly runId: string;
  readonly kind: MailKind;
  readonly call: string | null;
  readonly name: string | null;
  /** Of a child's result or error: the child. */
  readonly sender?: string;
  readonly value: string | null;
}

/** A run that goes on from another state, or begins again, whatever end it had come to. */
interface TurnedRun {
  readonly runId: string;
  /** It had passed. */
  readonly dropsDeadline: boolean;
}

/** A run that was to live again, and cannot: it has the end again that it had. */
interface PutBackRun {
  readonly runId: string;
}

export interface NewChild {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly version: string;
  readonly pool: string;
  readonly priority: number;
  readonly payload: string;
  readonly maxAttempts: number;
  readonly tags: readonly string[];
  readonly deadline: number | null;
  readonly parent: string | null;
  readonly parentCall: string | null;
  readonly effects: string | null;
  /** The span of the run that starts it; null: nobody traces it. */
  readonly traceparent: string | null;
  /** Whether it belongs to the owner of its parent from the start. */
  readonly held: boolean;
}

interface NewEvent {
  readonly runId: string;
  readonly kind: RunEventKind;
  readonly data: string | null;
  readonly at: number;
  /** The number of the last input that the run had taken then; null: that is to be looked up. */
  readonly afterInput: number | null;
}

interface NewOutboxEvent {
  readonly namespace: string;
  readonly runId: string;
  readonly type: string;
  readonly data: string;
  /** The span of its run. */
  readonly traceparent: string | null;
  readonly at: number;
}

/** A call of an action that is limited: it waits for its turn. */
interface NewLimitedCall {
  readonly runId: string;
  readonly call: string;
  readonly attempt: number;
  readonly namespace: string;
  readonly action: string;
  readonly key: string;
  readonly rateKey: string;
  readonly priority: number;
}

/** It waits no more, or is not open any more. */
interface ReleasedCall {
  readonly runId: string;
  /** Null: all of the run. */
  readonly call: string | null;
}

export function newTransition(runId: string): Transition {
  return new Transition(runId);
}

/** A statement may change a row once: of what a transition says about the run's row in the queue, the last counts. */
export function changeQueueRow(transition: Transition, change: QueueChange): void {
  transition.marks.length = 0;
  transition.parked.length = 0;
  transition.ended.length = 0;
  if ("mark" in change) transition.marks.push(change.mark);
  else if ("park" in change) transition.parked.push(change.park);
  else {
    // Of its own row too.
    if ((transition.peek("turned")?.length ?? 0) > 0) transition.turned.length = 0;
    transition.ended.push(change.end);
  }
}

type QueueChange = { readonly mark: RunMark } | { readonly park: ParkedRun } | { readonly end: EndedRun };
