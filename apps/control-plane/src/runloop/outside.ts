import { type RetryPolicy } from "@cairnjs/ir";

/** A call for whoever runs actions. */
export interface Dispatch {
  readonly runId: string;
  readonly namespace: string;
  /** Unique in its run. */
  readonly call: string;
  readonly attempt: number;
  readonly action: string;
  /** Array of arguments, encoded. */
  readonly args: string;
  /** What `.with()` gave the call, encoded. */
  readonly options: string | null;
  readonly priority: number;
  /** Type of the run: the steps of a workflow are found by it. */
  readonly type: string;
  readonly version: string;
  /** When the run ends at the latest. */
  readonly deadline: number | null;
}

export interface CallId {
  readonly runId: string;
  readonly call: string;
}

export interface TryId extends CallId {
  readonly attempt: number;
}

/** What a call waits for that no worker can run; null: one has taken it after all. */
export interface UnservedCall extends CallId {
  readonly waitingFor: string | null;
}

/** How one try of a call has ended. */
export interface CallOutcome extends TryId {
  readonly kind: "result" | "error";
  /** Result, or the value thrown, encoded. */
  readonly value: string;
  /** Of an error: how the action is tried; null if trying again would not help. */
  readonly retry: RetryPolicy | null;
  readonly worker: string;
  /** By the clock of whoever ran it; how long it took is what counts. */
  readonly durationMs: number;
}

export interface EndedNotice {
  readonly runId: string;
  readonly status: "succeeded" | "failed" | "cancelled" | "deleted";
  /** Result or error, encoded. */
  readonly value: string;
  /** Lines of where in the source an error came from, as JSON. */
  readonly trace: string | null;
}

/** What a runloop tells the rest of its process. Nothing is said before it is committed. */
export interface Outside {
  dispatch(calls: readonly Dispatch[]): void;
  /** Calls that were open when their run was taken over: who is running one goes on; others come back as strangers. */
  adopt(calls: readonly Dispatch[]): void;
  /** Nobody waits for these any more. */
  abort(calls: readonly CallId[]): void;
  /** The outcomes of these are committed: they need not be kept. */
  acknowledge(calls: readonly TryId[]): void;
  ended(runs: readonly EndedNotice[]): void;
  /** Others should look: for work, or for mail. */
  notify(channel: "cairn_work" | "cairn_mail" | "cairn_ended"): void;
  /** Of what it does, for people and tests. */
  warn(message: string, error: unknown): void;
}
