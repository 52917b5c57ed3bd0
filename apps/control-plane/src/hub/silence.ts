import type { HubCall } from "./hub-call.ts";
import type { WorkerSession } from "./worker-session.ts";

/** After so many heartbeats that did not come, nobody waits any longer. */
export const SILENT_HEARTBEATS = 3;

/** Nothing is heard of a worker that has calls; one without says nothing, and one whose words are being dealt with is not heard. */
export function isSilent<Owner>(session: WorkerSession<Owner>, now: number, heartbeatMs: number): boolean {
  if (session.calls.size === 0 || session.busy > 0) return false;
  return now - session.heardAt > SILENT_HEARTBEATS * heartbeatMs;
}

/** Calls of which nothing is heard for as long as their action allows. */
export function silentCalls<Owner>(
  { calls, busy, heartbeatTimeouts }: WorkerSession<Owner>,
  now: number,
  heartbeatMs: number,
): HubCall<Owner>[] {
  if (calls.size === 0 || busy > 0) return [];
  const usualMs = SILENT_HEARTBEATS * heartbeatMs;
  return [...calls].filter(
    ({ heardAt, dispatch }) => now - heardAt > (heartbeatTimeouts.get(dispatch.action) ?? usualMs),
  );
}
