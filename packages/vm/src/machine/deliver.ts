import { decodeVm } from "../values/index.ts";
import { seedChance } from "./chance.ts";
import { Frame } from "./frame.ts";
import { giveSignals } from "./durable-calls.ts";
import { EngineError } from "./host.ts";
import { run } from "./interpreter.ts";
import { newPromise, rejectPromise, resolvePromise, startJob } from "./jobs.ts";
import { type Machine, outOfFuel } from "./machine.ts";
import type { Effect, Input } from "./messages.ts";
import { cancelUndone, compensateNext, endBody, failRun, undo } from "./outcome.ts";

/** Work between two looks at the allocated bytes; a number of the semantics, since it decides when a run fails. */
const MEASURE_EVERY = 50_000;

/** The input has been processed, or `more` work is left for another call. */
export type Delivery = { readonly done: true; readonly effects: readonly Effect[] } | { readonly done: false };

/**
 * Gives the machine an input and works on it for at most `slice` instructions' worth. Call `proceed` until it is
 * done. An input for a call that is not open is refused by `accepts`, before it is made durable.
 */
export function deliver(machine: Machine, input: Input, slice = Number.MAX_SAFE_INTEGER): Delivery {
  machine.inputNumber++;
  machine.ordinal = 0;
  machine.effects = [];
  machine.fuelUsed = 0;
  machine.at = Math.max(machine.at, input.at);
  return guard(machine, () => {
    take(machine, input);
    return proceedWithin(machine, slice);
  });
}

export function proceed(machine: Machine, slice = Number.MAX_SAFE_INTEGER): Delivery {
  return guard(machine, () => proceedWithin(machine, slice));
}

/** Whether an input fits the machine's state: a result for a call that is not open does not. */
export function accepts(machine: Machine, input: Input): boolean {
  if (machine.phase === "ended") return false;
  switch (input.kind) {
    case "start":
      return machine.phase === "new";
    case "result":
    case "error": {
      const kind = machine.open.get(input.call)?.kind;
      return kind === "call" || kind === "child" || kind === "compensation";
    }
    case "timer": {
      const kind = machine.open.get(input.call)?.kind;
      return kind === "sleep" || kind === "wait";
    }
    default:
      return machine.phase !== "new";
  }
}

/** An engine error ends the body: no handler and no `finally` runs. Compensations do. */
function guard(machine: Machine, work: () => Delivery): Delivery {
  try {
    return work();
  } catch (error) {
    const engineError =
      error instanceof EngineError
        ? error
        : new EngineError("Diverged", `the machine failed: ${String(error)}`, { cause: error });
    failRun(machine, engineError);
    return handOver(machine);
  }
}

function take(machine: Machine, input: Input): void {
  switch (input.kind) {
    case "start":
      start(machine, input.value, input.seed);
      machine.info = input.info;
      return;
    case "result":
    case "error":
      answer(machine, input);
      return;
    case "timer":
      ring(machine, input.call);
      return;
    case "signal": {
      const buffered = machine.signals.get(input.name);
      if (buffered === undefined) machine.signals.set(input.name, [input.value]);
      else buffered.push(input.value);
      giveSignals(machine, input.name);
      return;
    }
    case "cancel":
      cancel(machine, input.reason);
      return;
    case "reseed":
      if (input.seed !== null) machine.chance = seedChance(input.seed);
      return;
    case "fork":
      if (input.seed !== null) machine.chance = seedChance(input.seed);
      machine.info = input.info;
      if (!input.compensations) machine.compensations.length = 0;
      return;
    case "undo":
      undo(machine, input.keep, input.next);
  }
}

function start(machine: Machine, value: string, seed: string): void {
  machine.chance = seedChance(seed);
  machine.phase = "running";
  const unit = machine.image.units[machine.image.program.entry]!;
  const frame = new Frame(unit, null, [], undefined, null, 0);
  if (unit.parameters > 0) frame.registers[0] = decodeVm(machine, value);
  frame.promise = newPromise(machine);
  frame.promise.handled = true;
  machine.body = frame.promise;
  machine.frame = frame;
}

function answer(machine: Machine, input: Extract<Input, { kind: "result" | "error" }>): void {
  const call = machine.open.get(input.call);
  if (call === undefined) throw new EngineError("Diverged", `the call ${input.call} is not open`);
  machine.open.delete(call.id);
  if (call.kind === "compensation") {
    if (input.kind === "error") {
      machine.effects.push({ kind: "compensationFailed", id: machine.nextId(), call: call.id, error: input.error });
    }
    return;
  }
  if (call.promise === null) return;
  if (input.kind === "result") resolvePromise(machine, call.promise, decodeVm(machine, input.value));
  else rejectPromise(machine, call.promise, decodeVm(machine, input.error));
}

function ring(machine: Machine, id: string): void {
  const call = machine.open.get(id);
  if (call === undefined) throw new EngineError("Diverged", `the call ${id} is not open`);
  machine.open.delete(id);
  if (call.promise === null) return;
  if (call.kind === "sleep") resolvePromise(machine, call.promise, undefined);
  else {
    const error = machine.newError("cairn.SignalTimeout", `No signal '${call.name}' arrived in time`);
    rejectPromise(machine, call.promise, error);
  }
}

/** Rejects every open durable promise, in the order they were made. */
function cancel(machine: Machine, reason: string): void {
  if (machine.outcome?.status === "undone") return cancelUndone(machine, reason);
  if (machine.phase !== "running") return;
  machine.cancelled ??= reason;
  const open = Array.from(machine.open.values());
  for (const call of open) {
    machine.open.delete(call.id);
    machine.effects.push({ kind: "abandon", id: machine.nextId(), call: call.id });
    if (call.promise !== null) {
      rejectPromise(machine, call.promise, machine.newError("cairn.RunCancelled", machine.cancelled));
    }
  }
}

function proceedWithin(machine: Machine, slice: number): Delivery {
  let left = slice;
  while (machine.frame !== null || machine.jobsTaken < machine.jobs.length) {
    if (left <= 0) return { done: false };
    let used = 1;
    if (machine.frame === null) {
      // A job costs something even when it runs no code: a chain of them must end too.
      startJob(machine);
    } else {
      const { fuelUsed, limits } = machine;
      const budget = Math.min(left, MEASURE_EVERY - (fuelUsed % MEASURE_EVERY), limits.fuelPerInputMax - fuelUsed + 1);
      used = budget - run(machine, budget);
    }
    left -= used;
    spend(machine, used);
  }
  machine.jobs = [];
  machine.jobsTaken = 0;
  finishInput(machine);
  return handOver(machine);
}

/** Counts work done; at every multiple of `MEASURE_EVERY` that is passed, the live bytes are looked at. */
function spend(machine: Machine, fuel: number): void {
  const before = machine.fuelUsed;
  machine.fuelUsed += fuel;
  if (machine.fuelUsed > machine.limits.fuelPerInputMax) throw outOfFuel(machine.limits);
  if (Math.floor(machine.fuelUsed / MEASURE_EVERY) > Math.floor(before / MEASURE_EVERY)) machine.checkBytes();
}

/** Effects belong to whoever delivers, once the input is done. */
function handOver(machine: Machine): Delivery {
  const { effects } = machine;
  machine.effects = [];
  return { done: true, effects };
}

/** All jobs are done: the body may have settled, or the next compensation be due. */
function finishInput(machine: Machine): void {
  machine.checkBytesAtRest();
  if (machine.phase === "running" && machine.body !== null && machine.body.state !== "pending") endBody(machine);
  if (machine.phase === "compensating" && ![...machine.open.values()].some(({ kind }) => kind === "compensation")) {
    compensateNext(machine);
  }
}
