import { DONE, getIterator, iterateStep, tryIterator } from "../builtins/iterate.ts";
import type { VIterator } from "../heap/collection.ts";
import { KEY_FUEL, enumerableOwnKeys, getOwn, putOwn } from "../heap/properties.ts";
import type { Shape } from "../heap/shape.ts";
import { type CodeUnit, UNINIT, type VCell, VClosure } from "../heap/function.ts";
import { Kind, PLAIN, type VArray, VObject, type Value } from "../heap/value.ts";
import { textAt } from "./calls.ts";
import type { Frame, Slot } from "./frame.ts";
import { EngineError, throwError } from "./host.ts";
import { awaitValue } from "./jobs.ts";
import { type VKeyCursor, keyCursor, nextKey } from "./key-cursor.ts";
import type { Machine } from "./machine.ts";
import { passCall } from "./returns.ts";

/** What single instructions do that is too long for the interpreter's switch. */
export function makeClosure(machine: Machine, frame: Frame, index: number): VClosure {
  const unit = frame.unit.prelude ? machine.prelude.units[index]! : machine.image.units[index]!;
  const cells = unit.meta.captures.map(({ from, index: at }) =>
    from === "register" ? (frame.registers[at] as VCell) : frame.cells[at]!,
  );
  machine.bytesAllocated += 120 + cells.length * 8;
  const { functionPrototype, asyncFunctionPrototype } = machine.realm;
  return new VClosure(unit.async ? asyncFunctionPrototype : functionPrototype, unit, cells);
}

export function storeCell(machine: Machine, cell: VCell, value: Slot): void {
  if (!cell.touched) machine.markTouched(cell);
  cell.value = value as Value;
}

export function initialised(machine: Machine, frame: Frame, at: number, value: Slot, name: Value): Value {
  if (value === UNINIT) {
    frame.position = at;
    throwError(machine, "ReferenceError", `Cannot access '${String(name)}' before initialization`);
  }
  return value as Value;
}

/** The frame waits; whoever called it goes on with its promise. */
export function suspend(machine: Machine, frame: Frame, value: Value): void {
  if (frame.promise === null) throw new EngineError("Diverged", "await outside an async function");
  awaitValue(machine, frame, value);
  const caller = frame.caller;
  frame.caller = null;
  frame.depth = 0;
  machine.frame = caller;
  if (caller !== null) passCall(caller);
}

export function iterate(machine: Machine, frame: Frame, value: Value): VIterator {
  const iterator = tryIterator(machine, value);
  if (iterator !== null) return iterator;
  const text = textAt(frame, "");
  if (text === "") return getIterator(machine, value);
  throwError(machine, "TypeError", `${text} is not iterable`);
}

export function spreadInto(machine: Machine, frame: Frame, array: VArray, value: Value): void {
  if (!array.touched) machine.markTouched(array);
  drain(machine, iterate(machine, frame, value), array.items);
}

export function drain(machine: Machine, iterator: VIterator, items: Value[]): void {
  for (;;) {
    const next = iterateStep(machine, iterator);
    if (next === DONE) return;
    machine.charge(1, 8);
    items.push(next);
  }
}

/** `{ ...source }`, and with `left out` the rest of a destructuring. */
export function copyProperties(machine: Machine, target: VObject, source: Value, leftOut: VArray | null): void {
  if (typeof source === "string") {
    machine.charge(source.length * KEY_FUEL, source.length * 24);
    for (let index = 0; index < source.length; index++) {
      if (!leftOut?.items.some((key) => String(key) === String(index))) {
        putOwn(machine, target, String(index), source[index], PLAIN);
      }
    }
    return;
  }
  if (!(source instanceof VObject)) return;
  if (leftOut === null && isPlainCopy(target, source)) {
    const count = source.keys().length;
    machine.charge(2 + count * 4, count * 32);
    machine.touch(target);
    target.adoptAll(source);
    return;
  }
  const without = leftOut === null ? null : new Set(leftOut.items.map(String));
  for (const key of enumerableOwnKeys(source)) {
    machine.charge(KEY_FUEL, 0);
    if (!without?.has(key)) putOwn(machine, target, key, getOwn(source, key)?.value, PLAIN);
  }
}

export function requireObject(machine: Machine, frame: Frame, at: number, value: Value): void {
  if (value !== undefined && value !== null) return;
  frame.position = at;
  // The compiler gives the phrase as V8 has it, with % for the value.
  const phrase = textAt(frame, "'%'").replace("%", value === null ? "object null" : "undefined");
  throwError(machine, "TypeError", `Cannot destructure ${phrase} as it is ${String(value)}.`);
}

/** `{ ...source }` with nothing before it, of an object whose properties are all plain. */
function isPlainCopy(target: VObject, source: VObject): boolean {
  return (
    source.kind === Kind.Object &&
    source.attributes === null &&
    target.kind === Kind.Object &&
    target.shape !== null &&
    target.shape.keys.length === 0
  );
}

export function startForIn(machine: Machine, value: Value): VKeyCursor {
  const cursor = keyCursor(value);
  machine.charge(cursor.names.length * KEY_FUEL, 80 + cursor.names.length * 24);
  return cursor;
}

export function advanceKey(machine: Machine, cursor: VKeyCursor): string | undefined {
  if (!cursor.touched) machine.markTouched(cursor);
  return nextKey(cursor);
}

/** Remembers where an instruction finds a name in objects of this shape. False when they do not have it. */
export function findCached(unit: CodeUnit, at: number, shape: Shape | null, key: string): boolean {
  if (shape === null) return false;
  const position = shape.find(key);
  if (position < 0) return false;
  unit.cachedShapes[at] = shape;
  unit.cachedSlots[at] = position;
  return true;
}

/** Adds a property of a literal, and remembers which shape that leads to. */
export function defineCached(unit: CodeUnit, at: number, object: VObject, key: string, value: Value): void {
  const { shape } = object;
  const isNew = shape !== null && shape.find(key) < 0;
  object.write(key, value);
  if (!isNew || object.shape === null) return;
  unit.cachedShapes[at] = shape;
  unit.cachedNext[at] = object.shape;
}
