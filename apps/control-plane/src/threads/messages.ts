import type { LifeSettings } from "../runloop/lives.ts";
import type { CallId, CallOutcome, Channel, Dispatch, EndedRun, TryId, UnservedCall } from "../runloop/outside.ts";
import type { NewRun, StartedRun } from "../store/start-runs.ts";
import type { WarningFacts } from "../warn.ts";
import type { PackedError } from "./packed-error.ts";

/** What the threads of a control plane say to each other. Values are encoded: messages are copied, never shared. */

export interface RunloopThreadData {
  readonly settings: LifeSettings;
  /** Where large values are; null: in the database. */
  readonly blobFolder: string | null;
  /** See `SharedCells`. */
  readonly cells: SharedArrayBuffer;
}

export type ToRunloop =
  | { readonly kind: "start"; readonly request: number; readonly runs: readonly NewRun[] }
  | { readonly kind: "outcomes"; readonly outcomes: readonly CallOutcome[] }
  | { readonly kind: "strangers"; readonly calls: readonly TryId[] }
  /** Behind all outcomes that were not acknowledged when the life had begun. */
  | { readonly kind: "reported" }
  | { readonly kind: "unserved"; readonly calls: readonly UnservedCall[] }
  | { readonly kind: "joined"; readonly namespace: string; readonly segments: readonly string[] }
  | { readonly kind: "serve"; readonly room: ReadonlyMap<string, number> }
  | { readonly kind: "poke" | "drain" | "close" };

export type FromRunloop =
  | { readonly kind: "opened" | "begun" | "closed" }
  /** Nothing is dispatched behind this. */
  | { readonly kind: "drained" }
  /** The first life could not begin. */
  | { readonly kind: "failed"; readonly error: PackedError }
  | { readonly kind: "started"; readonly request: number; readonly runs: readonly StartedRun[] }
  | { readonly kind: "notStarted"; readonly request: number; readonly error: PackedError }
  | { readonly kind: "dispatch" | "adopt"; readonly calls: readonly Dispatch[] }
  | { readonly kind: "abort"; readonly calls: readonly CallId[] }
  | { readonly kind: "recall" | "acknowledge"; readonly calls: readonly TryId[] }
  | { readonly kind: "ended"; readonly runs: readonly EndedRun[] }
  | { readonly kind: "notify"; readonly channel: Channel }
  | {
      readonly kind: "warn";
      readonly message: string;
      readonly error: PackedError;
      readonly about: WarningFacts | undefined;
    };

export interface KeeperThreadData {
  readonly url: string;
  readonly namespace: string | null;
  readonly heartbeatMs: number;
  readonly chunksKeptMs: number;
}

export type ToKeeper =
  | { readonly kind: "keep"; readonly cells: SharedArrayBuffer }
  | { readonly kind: "wake" | "close" };

export type FromKeeper =
  | { readonly kind: "woken" | "quarantine" | "closed" }
  | { readonly kind: "warn"; readonly message: string; readonly error: PackedError };
