import type { CallRunner, RunnerEvents } from "../hub/call-runner.ts";
import { ActionHost } from "@cairnjs/worker/host";

/** The actions of this process. As many calls again as may run are taken ahead, so that nobody waits for the next one. */
export function localRunner<Owner>(capacity: number, worker: string, events: RunnerEvents<Owner>): CallRunner<Owner> {
  const host = new ActionHost<Owner>({
    capacity,
    worker,
    report: (owner, outcomes) => events.report(owner, outcomes),
    loaded: () => events.roomChanged(),
  });
  return {
    get room() {
      return Math.max(0, 2 * capacity - host.load);
    },
    dispatch: (owner, calls) => host.dispatch(owner, calls),
    adopt: (owner, calls) => host.adopt(owner, calls),
    abort: (calls) => host.abort(calls),
    acknowledge: (calls) => host.acknowledge(calls),
    reportAgain: (owner) => host.reportAgain(owner),
    idle: () => host.idle(),
  };
}
