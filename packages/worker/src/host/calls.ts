import type { RetryPolicy } from "cairnjs/host";

export interface CallId {
  readonly runId: string;
  /** Unique in its run. */
  readonly call: string;
}

/** The same for each try: what a handler may tell others, so that they do its work once. */
export function callKey({ runId, call }: CallId): string {
  return `${runId}/${call}`;
}

export interface TryId extends CallId {
  readonly attempt: number;
}

/** A call for whoever runs actions. */
export interface Dispatch extends TryId {
  /** Of the database: after a restore, the same numbers may be those of other calls. Its outcome says it again. */
  readonly incarnation: string;
  readonly namespace: string;
  readonly action: string;
  /** Array of arguments, encoded. */
  readonly args: string;
  /** What `.with()` gave the call, encoded. */
  readonly options: string | null;
  readonly priority: number;
  /** Type of the run: the steps of a workflow are found by it. */
  readonly type: string;
  readonly version: string;
  /** When the run ends at the latest, in milliseconds since 1970. */
  readonly deadline: number | null;
  /** The span of the run; null: nobody traces it. */
  readonly traceparent: string | null;
}

/** What a control plane elsewhere says of a call beside it. */
export interface CallNotes {
  /** The same in all attempts. */
  readonly idempotencyKey: string;
  /** What an earlier attempt told last, encoded. */
  readonly heartbeatDetails: string | null;
}

/** How one try of a call has ended. */
export interface CallOutcome extends TryId {
  readonly incarnation: string;
  readonly kind: "result" | "error";
  /** Result, or the value thrown, encoded. */
  readonly value: string;
  /** Of an error: how the action is tried; null if trying again would not help. */
  readonly retry: RetryPolicy | null;
  readonly worker: string;
  /** By the clock of whoever ran it; how long it took is what counts. */
  readonly durationMs: number;
}
