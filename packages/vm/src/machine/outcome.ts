import { NotStorable, placeOf, type TraceLine } from "@cairnjs/ir";
import { VError } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { encodeVm } from "../values/index.ts";
import { notStorable } from "./durable-calls.ts";
import { type EngineError, Thrown } from "./host.ts";
import type { Machine } from "./machine.ts";
import { suspendedFunctions } from "./suspended.ts";

/** How a run ends: the body's outcome, then compensations, newest first, then the end. */

export function failRun(machine: Machine, error: EngineError): void {
  const trace: TraceLine[] = [];
  for (let frame = machine.frame; frame !== null && trace.length < 10; frame = frame.caller) {
    if (!frame.unit.prelude) trace.push(traceLine(machine, frame.unit.index, frame.position));
  }
  dropBody(machine);
  const value = JSON.stringify({ $error: { names: [error.code, "Error"], message: error.message } });
  machine.outcome = { status: "failed", value, trace };
  machine.phase = "compensating";
  // A machine that contradicts itself must not act any further.
  if (error.code === "Diverged") machine.compensations.length = 0;
  compensateNext(machine);
}

/** Ends the body as it stands; a compensation that is under way goes on. */
export function undo(machine: Machine, keep: number, next: string): void {
  if (machine.phase !== "compensating") dropBody(machine);
  machine.outcome = { status: "undone", value: next, trace: [], keep };
  machine.phase = "compensating";
}

/** Whatever was wanted after that: everything is undone, and it is over. */
export function cancelUndone(machine: Machine, reason: string): void {
  machine.cancelled = reason;
  const value = JSON.stringify({ $error: { names: ["RunCancelled", "Error"], message: reason } });
  machine.outcome = { status: "cancelled", value, trace: [] };
}

/** No handler and no `finally` runs. */
function dropBody(machine: Machine): void {
  machine.frame = null;
  machine.jobs = [];
  machine.jobsTaken = 0;
  machine.body = null;
  machine.unhandled = [];
  machine.signals.clear();
  abandonOpen(machine);
}

export function endBody(machine: Machine): void {
  const body = machine.body!;
  for (const promise of machine.unhandled) warnUnhandled(machine, promise.value);
  machine.unhandled = [];
  for (const name of suspendedFunctions(machine)) {
    machine.effects.push({ kind: "warning", id: machine.nextId(), code: "DroppedFrame", detail: JSON.stringify(name) });
  }
  abandonOpen(machine);
  let failed = body.state === "rejected";
  let value = body.value;
  let encoded: string;
  try {
    encoded = encodeVm(machine, value, failed ? "error" : "result");
  } catch (error) {
    if (!(error instanceof NotStorable)) throw error;
    failed = true;
    value = notStorable(machine, error);
    encoded = encodeVm(machine, value, "error");
  }
  const trace = value instanceof VError ? traceLines(machine, value.trace) : [];
  const status = machine.cancelled !== null ? "cancelled" : failed ? "failed" : "succeeded";
  if (status === "succeeded") {
    end(machine, status, encoded, []);
    return;
  }
  machine.outcome = { status, value: encoded, trace };
  machine.phase = "compensating";
}

export function compensateNext(machine: Machine): void {
  const outcome = machine.outcome;
  const next = machine.compensations.length > (outcome?.keep ?? 0) ? machine.compensations.pop() : undefined;
  if (next === undefined) {
    if (outcome !== null) end(machine, outcome.status, outcome.value, outcome.trace);
    return;
  }
  const id = machine.nextId();
  machine.open.set(id, { id, kind: "compensation", node: next.node, name: next.action, promise: null });
  machine.effects.push({
    kind: "call",
    id,
    node: machine.nodeId(next.node),
    action: next.action,
    args: next.args,
    options: next.options,
    path: [],
    compensation: true,
  });
}

function end(
  machine: Machine,
  status: "succeeded" | "failed" | "cancelled" | "undone",
  value: string,
  trace: readonly TraceLine[],
): void {
  machine.phase = "ended";
  machine.body = null;
  machine.outcome = null;
  machine.compensations.length = 0;
  machine.signals.clear();
  const id = machine.nextId();
  machine.effects.push(
    status === "undone" ? { kind: status, id, next: value } : { kind: "end", id, status, value, trace },
  );
}

function traceLines(machine: Machine, trace: readonly number[]): TraceLine[] {
  const lines: TraceLine[] = [];
  for (let index = 0; index < trace.length; index += 2)
    lines.push(traceLine(machine, trace[index]!, trace[index + 1]!));
  return lines;
}

function abandonOpen(machine: Machine): void {
  for (const call of machine.open.values()) {
    machine.effects.push({ kind: "abandon", id: machine.nextId(), call: call.id });
  }
  machine.open.clear();
}

function warnUnhandled(machine: Machine, reason: Value): void {
  let detail: string;
  try {
    detail = encodeVm(machine, reason, "reason");
  } catch (error) {
    if (!(error instanceof NotStorable) && !(error instanceof Thrown)) throw error;
    detail = JSON.stringify("a reason that cannot be stored");
  }
  machine.effects.push({ kind: "warning", id: machine.nextId(), code: "UnhandledRejection", detail });
}

function traceLine(machine: Machine, index: number, position: number): TraceLine {
  const { debug, functions } = machine.image.program;
  return { function: functions[index]?.name ?? "", ...placeOf(debug, index, position) };
}
