import { VPromise } from "../heap/promise.ts";
import type { Value } from "../heap/value.ts";
import { rejectPromise, settleBy } from "./jobs.ts";
import type { Machine } from "./machine.ts";
import { passCall } from "./returns.ts";

/**
 * Throws a value in the running frame: the innermost handler around each frame's position takes it, else the
 * frame ends and, if it is async, its promise takes it.
 */
export function unwind(machine: Machine, thrown: Value): void {
  for (let frame = machine.frame; frame !== null; frame = machine.frame) {
    const position = frame.position;
    const handler = frame.unit.meta.handlers.find(({ start, end }) => start <= position && position < end);
    if (handler !== undefined) {
      frame.registers[handler.register] = thrown;
      frame.position = handler.target;
      return;
    }
    const caller = frame.caller;
    machine.frame = caller;
    if (frame.promise !== null) {
      rejectPromise(machine, frame.promise, thrown);
      if (caller !== null) passCall(caller);
      return;
    }
    if (caller === null && frame.settle !== null) {
      if (frame.settle instanceof VPromise) rejectPromise(machine, frame.settle, thrown);
      else settleBy(machine, frame.settle.resolvers, true, thrown);
    }
  }
}
