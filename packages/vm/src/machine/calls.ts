import { VDurable } from "../heap/durable.ts";
import { VResolver } from "../heap/promise.ts";
import { type CodeUnit, type VBound, type VBuiltin, VClass, type VClosure } from "../heap/function.ts";
import { Kind, VArray, VObject, type Value } from "../heap/value.ts";
import { callDurable } from "./durable-calls.ts";
import { Frame } from "./frame.ts";
import { throwError, unsupported } from "./host.ts";
import { newPromise, settleBy } from "./jobs.ts";
import type { Machine } from "./machine.ts";

/**
 * Calls `callee`. True when the result stands in the caller's register; false when a frame was pushed that will
 * put it there. `result` -1 drops it.
 */
export function invoke(
  machine: Machine,
  caller: Frame,
  result: number,
  callee: Value,
  self: Value,
  args: readonly Value[],
): boolean {
  if (callee instanceof VObject) {
    switch (callee.kind) {
      case Kind.Closure:
        pushClosure(machine, caller, result, callee as VClosure, self, args);
        return false;
      case Kind.Builtin:
        return callBuiltin(machine, caller, result, callee as VBuiltin, self, args);
      case Kind.Bound: {
        const bound = callee as VBound;
        machine.charge(1 + bound.args.length, 0);
        return invoke(machine, caller, result, bound.target, bound.self, [...bound.args, ...args]);
      }
      case Kind.Durable:
        return finish(caller, result, callDurable(machine, callee as VDurable, args));
      case Kind.Resolver: {
        const { resolvers, rejects } = callee as VResolver;
        settleBy(machine, resolvers, rejects, args[0]);
        return finish(caller, result, undefined);
      }
      case Kind.Class:
        throwError(
          machine,
          "TypeError",
          `Class constructor ${(callee as VClass).name} cannot be invoked without 'new'`,
        );
      // falls through: throwError never returns
      default:
    }
  }
  throwError(machine, "TypeError", `${calleeText(caller, callee)} is not a function`);
}

function finish(caller: Frame, result: number, value: Value): true {
  if (result >= 0) caller.registers[result] = value;
  return true;
}

function pushClosure(
  machine: Machine,
  caller: Frame,
  result: number,
  closure: VClosure,
  self: Value,
  args: readonly Value[],
): void {
  const frame = pushUnit(machine, caller, result, closure.unit, closure, closure.cells, self, args);
  if (closure.unit.async) beginAsync(machine, frame);
}

/** An async call's promise is its result from the start; the caller goes on at the first await. */
export function beginAsync(machine: Machine, frame: Frame): void {
  frame.promise = newPromise(machine);
  if (frame.caller !== null && frame.result >= 0) frame.caller.registers[frame.result] = frame.promise;
}

function pushUnit(
  machine: Machine,
  caller: Frame | null,
  result: number,
  unit: CodeUnit,
  callee: VObject | null,
  cells: VClosure["cells"],
  self: Value,
  args: readonly Value[],
): Frame {
  const frame = new Frame(unit, callee, cells, self, caller, result);
  const { parameters, rest } = unit;
  const taken = Math.min(parameters, args.length);
  for (let index = 0; index < taken; index++) frame.registers[index] = args[index];
  if (rest) {
    machine.charge(args.length, 48 + args.length * 8);
    frame.registers[parameters] = new VArray(machine.realm.arrayPrototype, args.slice(parameters));
  }
  enter(machine, frame);
  return frame;
}

export function overflow(machine: Machine): never {
  throwError(machine, "RangeError", "Maximum call stack size exceeded");
}

/** Makes a new frame the running one, within the limit of depth. */
function enter(machine: Machine, frame: Frame): void {
  if (frame.depth > machine.limits.callDepthMax) overflow(machine);
  machine.bytesAllocated += frame.unit.frameBytes;
  machine.frame = frame;
}

export function pushPrelude(
  machine: Machine,
  caller: Frame,
  result: number,
  name: string,
  args: readonly Value[],
): false {
  pushUnit(machine, caller, result, machine.preludeUnit(name), null, [], undefined, args);
  return false;
}

function callBuiltin(
  machine: Machine,
  caller: Frame,
  result: number,
  builtin: VBuiltin,
  self: Value,
  args: readonly Value[],
): boolean {
  const { call, prelude, coerce } = builtin.implementation;
  if (call !== null) {
    if (coerce !== "" && mustCoerce(coerce, self, args)) {
      return pushPrelude(machine, caller, result, "coerceCall", [builtin, self, arrayOf(machine, args), false]);
    }
    return finish(caller, result, call(machine, self, args));
  }
  if (prelude !== null) {
    const frame = pushUnit(machine, caller, result, prelude, builtin, [], self, args);
    if (prelude.async) beginAsync(machine, frame);
    return false;
  }
  if (builtin.path === "Function.prototype.call") return invoke(machine, caller, result, self, args[0], args.slice(1));
  if (builtin.path === "Function.prototype.apply") {
    return invoke(machine, caller, result, self, args[0], argumentList(machine, args[1]));
  }
  throwError(machine, "TypeError", `Constructor ${builtin.path} requires 'new'`);
}

/** `coerce` has a hint for a parameter that got an object. */
function mustCoerce(coerce: string, self: Value, args: readonly Value[]): boolean {
  if (self instanceof VObject && coerce[0] !== "-") return true;
  for (let index = 0; index < args.length; index++) {
    if (args[index] instanceof VObject && (coerce[index + 1] ?? coerce.at(-1)) !== "-") return true;
  }
  return false;
}

function argumentList(machine: Machine, value: Value): readonly Value[] {
  if (value === undefined || value === null) return [];
  if (value instanceof VArray) {
    machine.charge(value.items.length, value.items.length * 8);
    return Array.from(value.items);
  }
  if (value instanceof VObject) unsupported("Function.prototype.apply with an array-like object");
  throwError(machine, "TypeError", "CreateListFromArrayLike called on non-object");
}

/** `new callee(...args)`. */
export function construct(
  machine: Machine,
  caller: Frame,
  result: number,
  callee: Value,
  args: readonly Value[],
  newTarget: VClass | VBuiltin | null,
): boolean {
  if (callee instanceof VClass) {
    const frame = pushUnit(machine, caller, result, callee.construct, callee, [], undefined, args);
    frame.newTarget = newTarget instanceof VClass ? newTarget : callee;
    return false;
  }
  if (callee instanceof VObject && callee.kind === Kind.Builtin) {
    const builtin = callee as VBuiltin;
    const { construct: make, constructPrelude, coerce } = builtin.implementation;
    const target = newTarget ?? builtin;
    if (make !== null) {
      if (coerce !== "" && mustCoerce(coerce, undefined, args)) {
        return pushPrelude(machine, caller, result, "coerceCall", [builtin, target, arrayOf(machine, args), true]);
      }
      return finish(caller, result, make(machine, target, args));
    }
    if (constructPrelude !== null) {
      pushUnit(machine, caller, result, constructPrelude, builtin, [], target, args);
      return false;
    }
  }
  if (callee instanceof VObject && (callee.kind === Kind.Closure || callee.kind === Kind.Bound)) {
    unsupported("constructing a function with 'new'");
  }
  throwError(machine, "TypeError", `${calleeText(caller, callee)} is not a constructor`);
}

/** `super(...args)` in the running constructor. */
export function constructParent(machine: Machine, frame: Frame, result: number, args: readonly Value[]): boolean {
  const current = frame.callee;
  if (!(current instanceof VClass)) throw new Error("super outside a constructor");
  if (frame.self !== undefined) throwError(machine, "ReferenceError", "Super constructor may only be called once");
  const done = construct(machine, frame, result, current.parent, args, frame.newTarget);
  if (done) frame.self = frame.registers[result] as Value;
  return done;
}

function arrayOf(machine: Machine, args: readonly Value[]): VArray {
  machine.charge(args.length, 48 + args.length * 8);
  return new VArray(machine.realm.arrayPrototype, [...args]);
}

function calleeText(caller: Frame, callee: Value): string {
  const text = caller.unit.meta.texts.find(([position]) => position === caller.position);
  if (text !== undefined) return String(caller.unit.constants[text[1]]);
  if (typeof callee === "string") return JSON.stringify(callee);
  return callee instanceof VObject ? "object" : String(callee);
}

/** What V8 would call the thing that an instruction works on, for its message. */
export function textAt(frame: Frame, fallback: string): string {
  const text = frame.unit.meta.texts.find(([position]) => position === frame.position);
  return text === undefined ? fallback : String(frame.unit.constants[text[1]]);
}
