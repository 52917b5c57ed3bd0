import type { GivenSecrets } from "cairnjs/host";
import type { MessagePort } from "node:worker_threads";
import type { NumberedChunk } from "../host/chunk-stream.ts";
import type { LogLevel } from "../host/log.ts";
import type { CallNotes, Dispatch } from "../host/calls.ts";
import type { Told } from "./told.ts";

/** What a thread is given to do. */
export interface ThreadTask {
  /** Files to load first, if they are not: the same as in the main thread. */
  readonly modules: readonly string[];
  readonly dispatch: Dispatch;
  readonly notes: CallNotes | null;
  /** That the action needs. */
  readonly secrets: GivenSecrets | null;
  /** The module that has the codec for sealed values. */
  readonly codec: string | null;
  /** Takes what is said of the call, and brings what it is to know. */
  readonly port: MessagePort;
  /** Whether the main thread logs what the handler does; else the console of this thread. */
  readonly logs: boolean;
}

export interface ToldLog {
  readonly kind: "log";
  readonly level: LogLevel;
  readonly facts: readonly (readonly [string, Told])[];
  readonly message: Told;
}

/** What a handler says of itself; values are encoded. */
export type FromThread =
  | { readonly kind: "begun" }
  | { readonly kind: "details"; readonly details: string }
  | ToldLog
  | { readonly kind: "chunk"; readonly chunk: NumberedChunk };

export type ToThread =
  /** Why the call is aborted, encoded. */
  | { readonly kind: "abort"; readonly reason: string }
  /** There is room for chunks beyond this one. */
  | { readonly kind: "taken"; readonly number: number };
