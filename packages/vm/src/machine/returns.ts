import { Op, instructions } from "@cairnjs/ir";
import { VPromise } from "../heap/promise.ts";
import type { Value } from "../heap/value.ts";
import type { Frame } from "./frame.ts";
import { resolvePromise } from "./jobs.ts";
import type { Machine } from "./machine.ts";

/** Length of each instruction in the code, operands included. */
export const instructionSizes: readonly number[] = instructions.map(({ operands }) => 1 + operands.length);

/** The frame ends with a value: its caller goes on, or its promise is resolved. */
export function returnFrom(machine: Machine, frame: Frame, value: Value): void {
  const caller = frame.caller;
  machine.frame = caller;
  if (frame.promise !== null) {
    resolvePromise(machine, frame.promise, value);
    if (caller !== null) passCall(caller);
    return;
  }
  machine.bytesAllocated -= frame.unit.frameBytes;
  if (caller !== null) {
    if (frame.result >= 0) caller.registers[frame.result] = value;
    if (caller.newTarget !== null) noteThis(caller, value);
    passCall(caller);
    return;
  }
  if (frame.settle instanceof VPromise) resolvePromise(machine, frame.settle, value);
}

/** A frame waits at the instruction that called; it goes on behind it. */
export function passCall(caller: Frame): void {
  caller.position += instructionSizes[caller.unit.code[caller.position]!]!;
}

/** What `super()` constructed is `this` from then on. */
function noteThis(caller: Frame, value: Value): void {
  const opcode = caller.unit.code[caller.position];
  if (opcode === Op.Super || opcode === Op.SuperSpread) caller.self = value;
}
