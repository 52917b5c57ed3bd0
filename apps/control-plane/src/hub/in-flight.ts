import { callKey } from "@cairnjs/worker/host";
import type { CallRef, InFlight } from "@cairnjs/schemas";
import type { HubCall } from "./hub-call.ts";
import type { Missing } from "./missing.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Outcomes } from "./outcomes.ts";
import { Refused } from "./refused.ts";
import type { WorkerSession } from "./worker-session.ts";

/** Tries that one worker lists at most: those that run, and those whose outcome it holds. */
const LISTED_MAX = 100_000;

export interface InFlightParts<Owner> {
  readonly open: OpenCalls<Owner>;
  readonly outcomes: Outcomes<Owner>;
  readonly missing: Missing<Owner>;
}

/** A worker says what it has, in one list or several: calls that are taken for missing are its own again. */
export function takeInFlight<Owner>(
  { open, outcomes, missing }: InFlightParts<Owner>,
  session: WorkerSession<Owner>,
  { calls, more }: InFlight,
): void {
  const listed = (session.listed ??= new Set());
  for (const id of calls) {
    listed.add(`${callKey(id)}/${id.attempt}`);
    const call = open.get(id);
    if (call !== undefined && mayHave(session, call, id)) open.attach(call, session);
    else if (outcomes.hasEnded(id)) session.cancel(id, "NotOpen: the call is not open");
  }
  if (listed.size > LISTED_MAX) throw new Refused("InvalidMessage", `in_flight has more than ${LISTED_MAX} calls`);
  if (more) return;
  session.listed = null;
  missing.hasListed(session, listed);
}

/** Whether a worker that says so has the try. */
function mayHave<Owner>(
  session: WorkerSession<Owner>,
  call: HubCall<Owner>,
  { attempt, incarnation }: CallRef,
): boolean {
  const { dispatch, worker, session: current } = call;
  if (dispatch.namespace !== session.hello.namespace || dispatch.attempt !== attempt) return false;
  if (dispatch.incarnation !== incarnation) return false;
  return current !== session && (worker === null || worker === session.key);
}
