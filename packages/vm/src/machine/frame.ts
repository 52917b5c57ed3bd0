import type { VPromise, VResolver } from "../heap/promise.ts";
import type { CodeUnit, Uninit, VCell, VClass } from "../heap/function.ts";
import { Kind, VObject, type Value } from "../heap/value.ts";

export type Slot = Value | VCell | Uninit;

/** One activation of a function. Lives on the VM's heap: no host frame stands for it while it runs or waits. */
export class Frame {
  readonly kind = Kind.Frame;
  readonly unit: CodeUnit;
  readonly registers: Slot[];
  /** The running function: a closure, or undefined for jobs of the machine's own. */
  readonly callee: VObject | null;
  readonly cells: readonly VCell[];
  /** `this`; set by `Super` in a constructor. */
  self: Value;
  /** The class that `new` named, in constructors. */
  newTarget: VClass | null = null;
  /** Start of the instruction that runs next, or that is suspended in a call or an await. */
  position = 0;
  /** Who waits for the return value, and in which of its registers; null after the first await. */
  caller: Frame | null;
  result: number;
  depth: number;
  /** What an async function resolves. */
  promise: VPromise | null = null;
  /** For a job without caller: the promise its outcome settles, or the resolver that takes an error. */
  settle: VPromise | VResolver | null = null;
  snapshotId = 0;
  touched = true;
  /** Which encoding met the object last, and the number it gave it. */
  metBy = 0;
  metAs = 0;

  constructor(
    unit: CodeUnit,
    callee: VObject | null,
    cells: readonly VCell[],
    self: Value,
    caller: Frame | null,
    result: number,
  ) {
    this.unit = unit;
    this.callee = callee;
    this.cells = cells;
    this.self = self;
    this.caller = caller;
    this.result = result;
    this.depth = caller === null ? 0 : caller.depth + 1;
    this.registers = unit.blank.slice();
  }
}
