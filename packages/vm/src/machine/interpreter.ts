import { DONE, iterateStep } from "../builtins/iterate.ts";
import { createRegExp } from "../builtins/regexp.ts";
import type { VIterator } from "../heap/collection.ts";
import { strictEquals } from "../heap/durable.ts";
import { defineField, getProperty } from "../heap/properties.ts";
import { UNINIT, VCell, VClosure } from "../heap/function.ts";
import { Kind, VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { deleteMember, getComputed, getMember, hasMember, keyText, setComputed, setNamed } from "./access.ts";
import { beginAsync, construct, constructParent, invoke, overflow, pushPrelude } from "./calls.ts";
import { makeClass } from "./classes.ts";
import { Frame } from "./frame.ts";
import { EngineError, Thrown, throwError } from "./host.ts";
import {
  advanceKey,
  copyProperties,
  defineCached,
  drain,
  findCached,
  initialised,
  iterate,
  makeClosure,
  requireObject,
  spreadInto,
  startForIn,
  storeCell,
  suspend,
} from "./instructions.ts";
import type { VKeyCursor } from "./key-cursor.ts";
import type { Machine } from "./machine.ts";
import { binary, concat, equalityFuel, instanceOf, looseEquals, typeOf, unary } from "./operators.ts";
import { passCall, returnFrom } from "./returns.ts";
import { unwind } from "./unwind.ts";

/**
 * Runs the machine's frame until it has none, or until `budget` instructions' worth of work is done.
 * Returns what is left of the budget (negative when the last instruction overdrew it).
 *
 * The labels of the switch are the numbers of `Op` written out, since V8 makes a jump table only of literals; a
 * test compares them with the table.
 */
export function run(machine: Machine, budget: number): number {
  for (;;) {
    try {
      const left = runFrames(machine, budget);
      return left - machine.takePending();
    } catch (error) {
      budget = machine.budgetLeft;
      unwind(machine, thrownValue(machine, error));
      if (machine.frame === null) return budget;
    }
  }
}

/** What the program may catch: its own errors, and of the host's the ones that V8 gives a program for large values. */
function thrownValue(machine: Machine, error: unknown): Value {
  if (error instanceof Thrown) return error.value;
  if (!(error instanceof RangeError) || !HOST_ERRORS.has(error.message)) throw error;
  return machine.newError("RangeError", error.message);
}

const HOST_ERRORS: ReadonlySet<string> = new Set(["Invalid string length", "Maximum BigInt size exceeded"]);

function runFrames(machine: Machine, initialBudget: number): number {
  let budget = initialBudget;
  let frame = machine.frame!;
  let registers = frame.registers;
  let code = frame.unit.code;
  let constants = frame.unit.constants;
  let caches = frame.unit;
  let at = frame.position;
  try {
    frames: for (;;) {
      if (machine.frame !== frame) {
        const next = machine.frame;
        if (next === null) return budget;
        frame = next;
        registers = frame.registers;
        code = frame.unit.code;
        constants = frame.unit.constants;
        caches = frame.unit;
        at = frame.position;
      }
      for (;;) {
        // One comparison for both: nothing is left, or the last instruction charged more than itself.
        if (--budget < machine.attention) {
          budget -= machine.takePending();
          if (budget < 0) return budget + 1;
        }
        switch (code[at]) {
          case 0 /* Const */: {
            registers[code[at + 1]!] = constants[code[at + 2]!];
            at += 3;
            continue;
          }
          case 1 /* Int */: {
            registers[code[at + 1]!] = code[at + 2]!;
            at += 3;
            continue;
          }
          case 2 /* Undefined */: {
            registers[code[at + 1]!] = undefined;
            at += 2;
            continue;
          }
          case 3 /* Null */: {
            registers[code[at + 1]!] = null;
            at += 2;
            continue;
          }
          case 4 /* True */: {
            registers[code[at + 1]!] = true;
            at += 2;
            continue;
          }
          case 5 /* False */: {
            registers[code[at + 1]!] = false;
            at += 2;
            continue;
          }
          case 6 /* Uninit */: {
            registers[code[at + 1]!] = UNINIT;
            at += 2;
            continue;
          }
          case 7 /* Move */: {
            registers[code[at + 1]!] = registers[code[at + 2]!];
            at += 3;
            continue;
          }
          case 8 /* This */: {
            registers[code[at + 1]!] = frame.self;
            at += 2;
            continue;
          }
          case 9 /* Self */: {
            registers[code[at + 1]!] = frame.callee;
            at += 2;
            continue;
          }
          case 10 /* Intrinsic */: {
            registers[code[at + 1]!] = frame.unit.prelude
              ? machine.prelude.intrinsics[code[at + 2]!]
              : machine.image.intrinsics[code[at + 2]!];
            at += 3;
            continue;
          }
          case 11 /* Global */: {
            registers[code[at + 1]!] = frame.unit.prelude
              ? machine.prelude.functions[code[at + 2]!]
              : machine.image.globals[code[at + 2]!];
            at += 3;
            continue;
          }
          case 12 /* Durable */: {
            registers[code[at + 1]!] = machine.image.durables[code[at + 2]!];
            at += 3;
            continue;
          }
          case 13 /* Function */: {
            registers[code[at + 1]!] = makeClosure(machine, frame, code[at + 2]!);
            at += 3;
            continue;
          }
          case 14 /* RegExp */: {
            frame.position = at;
            registers[code[at + 1]!] = createRegExp(
              machine,
              constants[code[at + 2]!] as string,
              constants[code[at + 3]!] as string,
            );
            at += 4;
            continue;
          }
          case 15 /* Cell */: {
            machine.bytesAllocated += 40;
            registers[code[at + 1]!] = new VCell(UNINIT);
            at += 2;
            continue;
          }
          case 16 /* CellOf */: {
            machine.bytesAllocated += 40;
            registers[code[at + 1]!] = new VCell(registers[code[at + 2]!] as Value);
            at += 3;
            continue;
          }
          case 17 /* CopyCell */: {
            machine.bytesAllocated += 40;
            registers[code[at + 1]!] = new VCell((registers[code[at + 2]!] as VCell).value);
            at += 3;
            continue;
          }
          case 18 /* LoadCell */: {
            registers[code[at + 1]!] = (registers[code[at + 2]!] as VCell).value;
            at += 3;
            continue;
          }
          case 19 /* LoadCellChecked */: {
            registers[code[at + 1]!] = initialised(
              machine,
              frame,
              at,
              (registers[code[at + 2]!] as VCell).value,
              constants[code[at + 3]!],
            );
            at += 4;
            continue;
          }
          case 20 /* StoreCell */: {
            storeCell(machine, registers[code[at + 1]!] as VCell, registers[code[at + 2]!]);
            at += 3;
            continue;
          }
          case 21 /* StoreCellChecked */: {
            initialised(machine, frame, at, (registers[code[at + 1]!] as VCell).value, constants[code[at + 3]!]);
            storeCell(machine, registers[code[at + 1]!] as VCell, registers[code[at + 2]!]);
            at += 4;
            continue;
          }
          case 22 /* LoadOuter */: {
            registers[code[at + 1]!] = frame.cells[code[at + 2]!]!.value;
            at += 3;
            continue;
          }
          case 23 /* LoadOuterChecked */: {
            registers[code[at + 1]!] = initialised(
              machine,
              frame,
              at,
              frame.cells[code[at + 2]!]!.value,
              constants[code[at + 3]!],
            );
            at += 4;
            continue;
          }
          case 24 /* StoreOuter */: {
            storeCell(machine, frame.cells[code[at + 1]!]!, registers[code[at + 2]!]);
            at += 3;
            continue;
          }
          case 25 /* StoreOuterChecked */: {
            initialised(machine, frame, at, frame.cells[code[at + 1]!]!.value, constants[code[at + 3]!]);
            storeCell(machine, frame.cells[code[at + 1]!]!, registers[code[at + 2]!]);
            at += 4;
            continue;
          }
          case 26 /* CheckInit */: {
            initialised(machine, frame, at, registers[code[at + 1]!], constants[code[at + 2]!]);
            at += 3;
            continue;
          }
          case 27 /* Add */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left + right;
            } else if (typeof left === "string" && (typeof right === "string" || typeof right === "number")) {
              registers[code[at + 1]!] = concat(machine, left, right);
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "add", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 28 /* Subtract */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left - right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "subtract", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 29 /* Multiply */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left * right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "multiply", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 30 /* Divide */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left / right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "divide", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 31 /* Remainder */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left % right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "remainder", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 32 /* Exponent */: {
            frame.position = at;
            if (
              !binary(
                machine,
                frame,
                code[at + 1]!,
                "exponent",
                registers[code[at + 2]!] as Value,
                registers[code[at + 3]!] as Value,
              )
            )
              continue frames;
            at += 4;
            continue;
          }
          case 33 /* BitAnd */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left & right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "bitAnd", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 34 /* BitOr */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left | right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "bitOr", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 35 /* BitXor */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left ^ right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "bitXor", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 36 /* ShiftLeft */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left << right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "shiftLeft", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 37 /* ShiftRight */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left >> right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "shiftRight", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 38 /* ShiftRightZero */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left >>> right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "shiftRightZero", left as Value, right as Value))
                continue frames;
            }
            at += 4;
            continue;
          }
          case 39 /* Equal */: {
            frame.position = at;
            if (
              !looseEquals(
                machine,
                frame,
                code[at + 1]!,
                registers[code[at + 2]!] as Value,
                registers[code[at + 3]!] as Value,
                false,
              )
            )
              continue frames;
            at += 4;
            continue;
          }
          case 40 /* NotEqual */: {
            frame.position = at;
            if (
              !looseEquals(
                machine,
                frame,
                code[at + 1]!,
                registers[code[at + 2]!] as Value,
                registers[code[at + 3]!] as Value,
                true,
              )
            )
              continue frames;
            at += 4;
            continue;
          }
          case 41 /* StrictEqual */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "string" && typeof right === "string") budget -= equalityFuel(left, right);
            registers[code[at + 1]!] = left === right || strictEquals(left as Value, right as Value);
            at += 4;
            continue;
          }
          case 42 /* StrictNotEqual */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "string" && typeof right === "string") budget -= equalityFuel(left, right);
            registers[code[at + 1]!] = left !== right && !strictEquals(left as Value, right as Value);
            at += 4;
            continue;
          }
          case 43 /* Less */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left < right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "less", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 44 /* LessEqual */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left <= right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "lessEqual", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 45 /* Greater */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left > right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "greater", left as Value, right as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 46 /* GreaterEqual */: {
            const left = registers[code[at + 2]!];
            const right = registers[code[at + 3]!];
            if (typeof left === "number" && typeof right === "number") {
              registers[code[at + 1]!] = left >= right;
            } else {
              frame.position = at;
              if (!binary(machine, frame, code[at + 1]!, "greaterEqual", left as Value, right as Value))
                continue frames;
            }
            at += 4;
            continue;
          }
          case 47 /* In */: {
            frame.position = at;
            const key = registers[code[at + 2]!] as Value;
            const object = registers[code[at + 3]!] as Value;
            if (key instanceof VObject) {
              pushPrelude(machine, frame, code[at + 1]!, "hasComputed", [key, object]);
              continue frames;
            }
            registers[code[at + 1]!] = hasMember(machine, object, keyText(machine, key));
            at += 4;
            continue;
          }
          case 48 /* InstanceOf */: {
            frame.position = at;
            registers[code[at + 1]!] = instanceOf(
              machine,
              registers[code[at + 2]!] as Value,
              registers[code[at + 3]!] as Value,
            );
            at += 4;
            continue;
          }
          case 49 /* Negate */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "number") {
              registers[code[at + 1]!] = -value;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "negate", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 50 /* ToNumber */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "number") {
              registers[code[at + 1]!] = value;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "toNumber", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 51 /* ToNumeric */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "number") {
              registers[code[at + 1]!] = value;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "toNumeric", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 52 /* BitNot */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "number") {
              registers[code[at + 1]!] = ~value;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "bitNot", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 53 /* Not */: {
            registers[code[at + 1]!] = !registers[code[at + 2]!];
            at += 3;
            continue;
          }
          case 54 /* Typeof */: {
            registers[code[at + 1]!] = typeOf(registers[code[at + 2]!] as Value);
            at += 3;
            continue;
          }
          case 55 /* Increment */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "number") {
              registers[code[at + 1]!] = value + 1;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "increment", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 56 /* Decrement */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "number") {
              registers[code[at + 1]!] = value - 1;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "decrement", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 57 /* ToString */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "string") {
              registers[code[at + 1]!] = value;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "toString", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 58 /* ToPropertyKey */: {
            const value = registers[code[at + 2]!];
            if (typeof value === "string" || typeof value === "number") {
              registers[code[at + 1]!] = value;
            } else {
              frame.position = at;
              if (!unary(machine, frame, code[at + 1]!, "toPropertyKey", value as Value)) continue frames;
            }
            at += 3;
            continue;
          }
          case 59 /* Concat */: {
            const first = code[at + 2]!;
            const end = first + code[at + 3]!;
            let text = "";
            for (let index = first; index < end; index++) text = concat(machine, text, registers[index] as string);
            registers[code[at + 1]!] = text;
            at += 4;
            continue;
          }
          case 60 /* Jump */: {
            at = code[at + 1]!;
            continue;
          }
          case 61 /* JumpTrue */: {
            at = registers[code[at + 1]!] ? code[at + 2]! : at + 3;
            continue;
          }
          case 62 /* JumpFalse */: {
            at = registers[code[at + 1]!] ? at + 3 : code[at + 2]!;
            continue;
          }
          case 63 /* JumpNullish */: {
            const value = registers[code[at + 1]!];
            at = value === undefined || value === null ? code[at + 2]! : at + 3;
            continue;
          }
          case 64 /* JumpNotNullish */: {
            const value = registers[code[at + 1]!];
            at = value === undefined || value === null ? at + 3 : code[at + 2]!;
            continue;
          }
          case 65 /* JumpUndefined */: {
            at = registers[code[at + 1]!] === undefined ? code[at + 2]! : at + 3;
            continue;
          }
          case 66 /* JumpNotUndefined */: {
            at = registers[code[at + 1]!] === undefined ? at + 3 : code[at + 2]!;
            continue;
          }
          case 67 /* Return */: {
            const value = registers[code[at + 1]!] as Value;
            const caller = frame.caller;
            if (caller !== null && frame.promise === null && caller.newTarget === null) {
              machine.bytesAllocated -= caches.frameBytes;
              registers = caller.registers;
              if (frame.result >= 0) registers[frame.result] = value;
              passCall(caller);
              machine.frame = caller;
              frame = caller;
              caches = frame.unit;
              code = caches.code;
              constants = caches.constants;
              at = frame.position;
              continue;
            }
            returnFrom(machine, frame, value);
            continue frames;
          }
          case 68 /* ReturnUndefined */: {
            frame.position = at;
            returnFrom(machine, frame, frame.newTarget === null ? undefined : frame.self);
            continue frames;
          }
          case 69 /* Throw */: {
            throw new Thrown(registers[code[at + 1]!] as Value);
          }
          case 70 /* ThrowConstAssign */: {
            frame.position = at;
            throwError(machine, "TypeError", "Assignment to constant variable.");
          }
          case 71 /* Await */: {
            frame.position = at;
            suspend(machine, frame, registers[code[at + 2]!] as Value);
            continue frames;
          }
          case 72 /* Object */: {
            machine.bytesAllocated += 100;
            registers[code[at + 1]!] = new VPlain(machine.realm.objectPrototype);
            at += 2;
            continue;
          }
          case 73 /* Array */: {
            machine.bytesAllocated += 80;
            registers[code[at + 1]!] = new VArray(machine.realm.arrayPrototype, []);
            at += 2;
            continue;
          }
          case 74 /* Push */: {
            machine.bytesAllocated += 8;
            const array = registers[code[at + 1]!] as VArray;
            if (!array.touched) machine.markTouched(array);
            array.items.push(registers[code[at + 2]!] as Value);
            at += 3;
            continue;
          }
          case 75 /* PushHole */: {
            const array = registers[code[at + 1]!] as VArray;
            if (!array.touched) machine.markTouched(array);
            array.items.length++;
            at += 2;
            continue;
          }
          case 76 /* PushSpread */: {
            frame.position = at;
            spreadInto(machine, frame, registers[code[at + 1]!] as VArray, registers[code[at + 2]!] as Value);
            at += 3;
            continue;
          }
          case 77 /* Define */: {
            const object = registers[code[at + 1]!] as VObject;
            const key = constants[code[at + 2]!] as string;
            machine.bytesAllocated += 16 + key.length;
            if (!object.touched) machine.markTouched(object);
            if (object.kind !== Kind.Object) {
              defineField(machine, object, key, registers[code[at + 3]!] as Value);
            } else if (object.shape !== null && object.shape === caches.cachedShapes[at]) {
              object.append(caches.cachedNext[at]!, registers[code[at + 3]!] as Value);
            } else {
              defineCached(caches, at, object, key, registers[code[at + 3]!] as Value);
            }
            at += 4;
            continue;
          }
          case 78 /* DefineComputed */: {
            const key = registers[code[at + 2]!] as Value;
            defineField(
              machine,
              registers[code[at + 1]!] as VObject,
              typeof key === "string" ? key : keyText(machine, key),
              registers[code[at + 3]!] as Value,
            );
            at += 4;
            continue;
          }
          case 79 /* CopyProperties */: {
            frame.position = at;
            copyProperties(machine, registers[code[at + 1]!] as VObject, registers[code[at + 2]!] as Value, null);
            at += 3;
            continue;
          }
          case 80 /* Rest */: {
            frame.position = at;
            const rest = new VPlain(machine.realm.objectPrototype);
            copyProperties(machine, rest, registers[code[at + 2]!] as Value, registers[code[at + 3]!] as VArray);
            registers[code[at + 1]!] = rest;
            at += 4;
            continue;
          }
          case 81 /* Get */: {
            const object = registers[code[at + 2]!] as Value;
            const key = constants[code[at + 3]!] as string;
            if (typeof object === "object" && object !== null) {
              if (object.kind === Kind.Object) {
                const shape = object.shape;
                if (shape !== null && shape === caches.cachedShapes[at]) {
                  registers[code[at + 1]!] = object.slots[caches.cachedSlots[at]!];
                  at += 4;
                  continue;
                }
                if (findCached(caches, at, shape, key)) {
                  registers[code[at + 1]!] = object.slots[caches.cachedSlots[at]!];
                  at += 4;
                  continue;
                }
              } else if (object.kind === Kind.Array && key === "length") {
                registers[code[at + 1]!] = (object as VArray).items.length;
                at += 4;
                continue;
              }
              frame.position = at;
              registers[code[at + 1]!] = getProperty(machine, object, key);
            } else {
              frame.position = at;
              registers[code[at + 1]!] = getMember(machine, object, key);
            }
            at += 4;
            continue;
          }
          case 82 /* GetComputed */: {
            const object = registers[code[at + 2]!] as Value;
            const key = registers[code[at + 3]!] as Value;
            if (typeof object === "object" && object !== null) {
              if (
                object.kind === Kind.Array &&
                typeof key === "number" &&
                key < (object as VArray).items.length &&
                key >>> 0 === key
              ) {
                registers[code[at + 1]!] = (object as VArray).items[key];
                at += 4;
                continue;
              }
              if (object.kind === Kind.Object && typeof key === "string") {
                const value = object.read(key);
                if (value !== undefined) {
                  registers[code[at + 1]!] = value;
                  at += 4;
                  continue;
                }
              }
            } else if (
              typeof object === "string" &&
              typeof key === "number" &&
              key < object.length &&
              key >>> 0 === key
            ) {
              registers[code[at + 1]!] = object[key];
              at += 4;
              continue;
            }
            frame.position = at;
            if (!getComputed(machine, frame, code[at + 1]!, object, key)) continue frames;
            at += 4;
            continue;
          }
          case 83 /* Set */: {
            const object = registers[code[at + 1]!] as Value;
            const key = constants[code[at + 2]!] as string;
            if (
              typeof object === "object" &&
              object !== null &&
              object.kind === Kind.Object &&
              object.attributes === null &&
              !object.captured &&
              ((object.shape !== null && object.shape === caches.cachedShapes[at]) ||
                findCached(caches, at, object.shape, key))
            ) {
              if (!object.touched) machine.markTouched(object);
              object.slots[caches.cachedSlots[at]!] = registers[code[at + 3]!] as Value;
            } else {
              frame.position = at;
              if (!setNamed(machine, frame, object, key, registers[code[at + 3]!] as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 84 /* SetComputed */: {
            const object = registers[code[at + 1]!] as Value;
            const key = registers[code[at + 2]!] as Value;
            if (
              typeof object === "object" &&
              object !== null &&
              object.kind === Kind.Array &&
              typeof key === "number" &&
              key < (object as VArray).items.length &&
              key >>> 0 === key &&
              !object.captured &&
              !(object as VArray).frozen &&
              key in (object as VArray).items
            ) {
              if (!object.touched) machine.markTouched(object);
              (object as VArray).items[key] = registers[code[at + 3]!] as Value;
            } else {
              frame.position = at;
              if (!setComputed(machine, frame, object, key, registers[code[at + 3]!] as Value)) continue frames;
            }
            at += 4;
            continue;
          }
          case 85 /* Delete */: {
            frame.position = at;
            registers[code[at + 1]!] = deleteMember(
              machine,
              registers[code[at + 2]!] as Value,
              constants[code[at + 3]!] as string,
            );
            at += 4;
            continue;
          }
          case 86 /* DeleteComputed */: {
            frame.position = at;
            const key = registers[code[at + 3]!] as Value;
            if (key instanceof VObject) {
              pushPrelude(machine, frame, code[at + 1]!, "deleteComputed", [registers[code[at + 2]!] as Value, key]);
              continue frames;
            }
            registers[code[at + 1]!] = deleteMember(machine, registers[code[at + 2]!] as Value, keyText(machine, key));
            at += 4;
            continue;
          }
          case 87 /* NameFunction */: {
            const closure = registers[code[at + 1]!] as VClosure;
            if (!closure.touched) machine.markTouched(closure);
            closure.givenName = keyText(machine, registers[code[at + 2]!] as Value);
            at += 3;
            continue;
          }
          case 88 /* RequireObject */: {
            requireObject(machine, frame, at, registers[code[at + 1]!] as Value);
            at += 2;
            continue;
          }
          case 89 /* Iterate */: {
            frame.position = at;
            registers[code[at + 1]!] = iterate(machine, frame, registers[code[at + 2]!] as Value);
            at += 3;
            continue;
          }
          case 90 /* Next */: {
            frame.position = at;
            const next = iterateStep(machine, registers[code[at + 2]!] as VIterator);
            if (next === DONE) {
              at = code[at + 3]!;
              continue;
            }
            registers[code[at + 1]!] = next;
            at += 4;
            continue;
          }
          case 91 /* NextOrUndefined */: {
            frame.position = at;
            const next = iterateStep(machine, registers[code[at + 2]!] as VIterator);
            registers[code[at + 1]!] = next === DONE ? undefined : next;
            at += 3;
            continue;
          }
          case 92 /* RestOf */: {
            frame.position = at;
            const items: Value[] = [];
            drain(machine, registers[code[at + 2]!] as VIterator, items);
            registers[code[at + 1]!] = new VArray(machine.realm.arrayPrototype, items);
            at += 3;
            continue;
          }
          case 93 /* ForIn */: {
            frame.position = at;
            registers[code[at + 1]!] = startForIn(machine, registers[code[at + 2]!] as Value);
            at += 3;
            continue;
          }
          case 94 /* NextKey */: {
            const key = advanceKey(machine, registers[code[at + 2]!] as VKeyCursor);
            if (key === undefined) {
              at = code[at + 3]!;
              continue;
            }
            registers[code[at + 1]!] = key;
            at += 4;
            continue;
          }
          case 95 /* Call */: {
            const callee = registers[code[at + 2]!] as Value;
            const self = code[at + 3]! < 0 ? undefined : (registers[code[at + 3]!] as Value);
            const first = code[at + 4]!;
            const count = code[at + 5]!;
            frame.position = at;
            if (callee instanceof VClosure && !callee.unit.rest) {
              const called = new Frame(callee.unit, callee, callee.cells, self, frame, code[at + 1]!);
              const parameters = callee.unit.parameters;
              const taken = count < parameters ? count : parameters;
              for (let index = 0; index < taken; index++) called.registers[index] = registers[first + index];
              if (called.depth > machine.limits.callDepthMax) overflow(machine);
              machine.bytesAllocated += callee.unit.frameBytes;
              machine.frame = called;
              if (callee.unit.async) beginAsync(machine, called);
              frame = called;
              registers = called.registers;
              caches = callee.unit;
              code = caches.code;
              constants = caches.constants;
              at = 0;
              continue;
            }
            if (!invoke(machine, frame, code[at + 1]!, callee, self, registers.slice(first, first + count) as Value[]))
              continue frames;
            at += 6;
            continue;
          }
          case 96 /* CallSpread */: {
            const self = code[at + 3]! < 0 ? undefined : (registers[code[at + 3]!] as Value);
            const args = (registers[code[at + 4]!] as VArray).items;
            frame.position = at;
            machine.charge(args.length, args.length * 8);
            if (!invoke(machine, frame, code[at + 1]!, registers[code[at + 2]!] as Value, self, args)) continue frames;
            at += 5;
            continue;
          }
          case 97 /* New */: {
            const first = code[at + 3]!;
            const args = registers.slice(first, first + code[at + 4]!) as Value[];
            frame.position = at;
            if (!construct(machine, frame, code[at + 1]!, registers[code[at + 2]!] as Value, args, null))
              continue frames;
            at += 5;
            continue;
          }
          case 98 /* NewSpread */: {
            frame.position = at;
            if (
              !construct(
                machine,
                frame,
                code[at + 1]!,
                registers[code[at + 2]!] as Value,
                (registers[code[at + 3]!] as VArray).items,
                null,
              )
            )
              continue frames;
            at += 4;
            continue;
          }
          case 99 /* Super */: {
            const first = code[at + 2]!;
            const args = registers.slice(first, first + code[at + 3]!) as Value[];
            frame.position = at;
            if (!constructParent(machine, frame, code[at + 1]!, args)) continue frames;
            at += 4;
            continue;
          }
          case 100 /* SuperSpread */: {
            frame.position = at;
            if (!constructParent(machine, frame, code[at + 1]!, (registers[code[at + 2]!] as VArray).items))
              continue frames;
            at += 3;
            continue;
          }
          case 101 /* SetGlobal */: {
            machine.image.globals[code[at + 1]!] = registers[code[at + 2]!] as Value;
            at += 3;
            continue;
          }
          case 102 /* Class */: {
            registers[code[at + 1]!] = makeClass(machine, code[at + 2]!);
            at += 3;
            continue;
          }
          case 103 /* Host */: {
            frame.position = at;
            const first = code[at + 3]!;
            registers[code[at + 1]!] = machine.prelude.operations[code[at + 2]!]!(
              machine,
              registers.slice(first, first + code[at + 4]!) as Value[],
            );
            at += 5;
            continue;
          }
          default:
            throw new EngineError("Diverged", `unknown instruction ${code[at]}`);
        }
      }
    }
  } finally {
    frame.position = at;
    machine.budgetLeft = budget;
  }
}
