import type { MessagePort } from "node:worker_threads";
import type { CallNotes, Dispatch } from "../host/calls.ts";

/** What a thread is given to do. */
export interface ThreadTask {
  /** Files to load first, if they are not: the same as in the main thread. */
  readonly modules: readonly string[];
  readonly dispatch: Dispatch;
  readonly notes: CallNotes | null;
  /** Brings why the call is aborted, encoded; takes what is said of it. */
  readonly port: MessagePort;
}

/** That the handler begins; then what it tells about itself, encoded. */
export type FromThread = null | string;
