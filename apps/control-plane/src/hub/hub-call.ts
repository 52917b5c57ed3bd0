import type { Value } from "@cairnjs/schemas";
import type { Dispatch } from "../runloop/outside.ts";
import type { WorkerSession } from "./worker-session.ts";

/**
 * What is known of an open call.
 *
 * preparing  it is looked up what an earlier try has told
 * waiting    for a worker with free credit
 * out        a worker has it
 * absent     the stream of the worker that has it is broken
 * unclaimed  it was open when its run was taken over, and no worker has said that it has it
 * orphan     its owner has lost its runs before it was sent: whoever has the run now adopts it, or not
 */
type CallState = "preparing" | "waiting" | "out" | "absent" | "unclaimed" | "orphan";

export interface HubCall<Owner> {
  readonly key: string;
  readonly dispatch: Dispatch;
  owner: Owner;
  state: CallState;
  /** Of a call that is out. */
  session: WorkerSession<Owner> | null;
  /** Key of the worker that has it. */
  worker: string | null;
  /** When it came into its state. */
  since: number;
  /** When something was heard of it, while it is out. */
  heardAt: number;
  turn: number;
  /** What people were told that it waits for. */
  told: string | null;
  /** What an earlier try has told. */
  details: Value | null;
}

/** Whether no worker can have it. */
export function isUnsent<Owner>({ state }: HubCall<Owner>): boolean {
  return state === "preparing" || state === "waiting" || state === "orphan";
}
