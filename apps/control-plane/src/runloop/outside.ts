import type { CallId, Dispatch, TryId } from "@cairnjs/worker/host";
import type { Warn } from "../warn.ts";

export type { CallId, CallOutcome, Dispatch, TryId } from "@cairnjs/worker/host";

/** What becomes of a call that has not begun. */
export interface UnservedCall extends TryId {
  /** What it waits for that no worker can run; null: nothing any more. */
  readonly waitingFor: string | null;
  /** It was not begun, and is made again after this time, by whoever has its run then. */
  readonly againInMs?: number;
}

export interface EndedNotice {
  readonly runId: string;
  readonly status: "succeeded" | "failed" | "cancelled" | "deleted";
  /** Result or error, encoded. */
  readonly value: string;
  /** Lines of where in the source an error came from, as JSON. */
  readonly trace: string | null;
}

/** A run whose end was just committed. */
export interface EndedRun extends EndedNotice {
  readonly type: string;
  /** What its span says, if someone traces it. */
  readonly traced: TracedRun | null;
}

export interface TracedRun {
  /** The span of whoever has started it. */
  readonly traceparent: string;
  readonly namespace: string;
  readonly version: string;
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** In a line. */
  readonly error: string | null;
}

/** On which processes tell each other that they should look. */
export const CHANNELS = ["cairn_work", "cairn_mail", "cairn_ended", "cairn_chunks", "cairn_outbox"] as const;
export type Channel = (typeof CHANNELS)[number];

/** What a runloop tells the rest of its process. Nothing is said before it is committed. */
export interface Outside {
  dispatch(calls: readonly Dispatch[]): void;
  /** Calls that were open when their run was taken over: who is running one goes on; others come back as strangers. */
  adopt(calls: readonly Dispatch[]): void;
  /** Nobody waits for these any more. */
  abort(calls: readonly CallId[]): void;
  /** These should have begun by now: those that nobody has begun are given back. */
  recall(calls: readonly TryId[]): void;
  /** The outcomes of these are committed: they need not be kept. */
  acknowledge(calls: readonly TryId[]): void;
  ended(runs: readonly EndedRun[]): void;
  /** Others should look: for work, for mail, for events. */
  notify(channel: Channel): void;
  /** Of what it does, for people and tests. */
  readonly warn: Warn;
}
