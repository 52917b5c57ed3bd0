import { Op, instructions } from "./opcodes.ts";
import type { FunctionCode } from "./program.ts";
import { fail } from "./validate-fields.ts";

/**
 * Proves that on every path an instruction finds in its registers the kind of thing it wants. Cells and cursors
 * are parts of the machine: a program that could read one as a value, or pass a value off as one, would break
 * the machine instead of failing. A forward data-flow over the kinds each register may hold; what several paths
 * leave in different kinds may not be read at all.
 */
export function validateRegisters(
  fn: FunctionCode,
  path: string,
  functions: readonly FunctionCode[],
  budget: VerifyBudget,
): void {
  const flow = new RegisterFlow(fn, path, functions, budget);
  while (flow.sweep());
}

/** Register states looked at so far, for a whole program: code can be written that needs very many. */
export interface VerifyBudget {
  left: number;
}

const VALUE = 1;
const CELL = 2;
const CURSOR = 4;
const KEYS = 8;
const KIND_NAMES: Readonly<Record<number, string>> = {
  [VALUE]: "a value",
  [CELL]: "a cell",
  [CURSOR]: "a cursor",
  [KEYS]: "a list of keys",
};

/** By opcode, then operand: what is read there if not a value. */
const readKinds: ReadonlyMap<number, readonly [operand: number, kind: number]> = new Map([
  [Op.CopyCell, [1, CELL]],
  [Op.LoadCell, [1, CELL]],
  [Op.LoadCellChecked, [1, CELL]],
  [Op.StoreCell, [0, CELL]],
  [Op.StoreCellChecked, [0, CELL]],
  [Op.Next, [1, CURSOR]],
  [Op.NextOrUndefined, [1, CURSOR]],
  [Op.RestOf, [1, CURSOR]],
  [Op.NextKey, [1, KEYS]],
]);

const writtenKinds: ReadonlyMap<number, number> = new Map([
  [Op.Cell, CELL],
  [Op.CellOf, CELL],
  [Op.CopyCell, CELL],
  [Op.Iterate, CURSOR],
  [Op.ForIn, KEYS],
]);

const endsPath: ReadonlySet<number> = new Set([Op.Jump, Op.Return, Op.ReturnUndefined, Op.Throw, Op.ThrowConstAssign]);

/** Blocks begin where something jumps to or a handler's range begins or ends, so a block is inside a range or not. */
class RegisterFlow {
  readonly #fn: FunctionCode;
  readonly #path: string;
  readonly #functions: readonly FunctionCode[];
  readonly #budget: VerifyBudget;
  /** Kinds that may be in each register at the beginning of a block; absent until some path leads there. */
  readonly #entries = new Map<number, Uint8Array>();
  readonly #starts: ReadonlySet<number>;
  readonly #blocks: readonly number[];
  readonly #pending = new Set<number>();

  constructor(fn: FunctionCode, path: string, functions: readonly FunctionCode[], budget: VerifyBudget) {
    this.#fn = fn;
    this.#path = path;
    this.#functions = functions;
    this.#budget = budget;
    this.#starts = blockStarts(fn);
    this.#blocks = [...this.#starts].sort((a, b) => a - b);
    this.#join(0, new Uint8Array(fn.registers).fill(VALUE));
  }

  /** Once through all blocks whose beginning changed, in order; whether there are any again. */
  sweep(): boolean {
    for (const block of this.#blocks) if (this.#pending.delete(block)) this.#runBlock(block);
    return this.#pending.size > 0;
  }

  #runBlock(block: number): void {
    const { code, handlers } = this.#fn;
    const state = Uint8Array.from(this.#entries.get(block) ?? []);
    this.#spend(handlers.length);
    const covering = handlers.filter(({ start, end }) => start <= block && block < end);
    for (const { target, register } of covering) this.#join(target, state, register);
    let position = block;
    for (;;) {
      const opcode = code[position] ?? 0;
      const operands = instructions[opcode]?.operands ?? [];
      this.#spend(1 + operands.length + covering.length);
      this.#checkReads(position, opcode, state);
      const targetOffset = operands.indexOf("target");
      if (targetOffset >= 0) this.#join(code[position + 1 + targetOffset] ?? 0, state);
      const written = operands[0] === "write" ? (code[position + 1] ?? 0) : -1;
      if (written >= 0) {
        const kind = opcode === Op.Move ? (state[code[position + 2] ?? 0] ?? 0) : (writtenKinds.get(opcode) ?? VALUE);
        state[written] = kind;
        for (const { target, register } of covering) if (register !== written) this.#joinOne(target, written, kind);
        if (targetOffset >= 0) this.#joinOne(code[position + 1 + targetOffset] ?? 0, written, kind);
      }
      if (endsPath.has(opcode)) return;
      position += 1 + operands.length;
      if (this.#starts.has(position)) {
        this.#join(position, state);
        return;
      }
    }
  }

  #checkReads(position: number, opcode: number, state: Uint8Array): void {
    const { code } = this.#fn;
    const special = readKinds.get(opcode);
    for (const [operand, kind] of (instructions[opcode]?.operands ?? []).entries()) {
      const at = position + 1 + operand;
      const register = code[at] ?? 0;
      if (kind === "read" && opcode !== Op.Move) {
        this.#require(state, register, special?.[0] === operand ? special[1] : VALUE, at);
      } else if (kind === "maybe" && register >= 0) {
        this.#require(state, register, VALUE, at);
      } else if (kind === "first") {
        const count = code[at + 1] ?? 0;
        this.#spend(count);
        for (let offset = 0; offset < count; offset += 1) this.#require(state, register + offset, VALUE, at);
      } else if (kind === "function") {
        for (const { from, index } of this.#functions[register]?.captures ?? []) {
          if (from === "register") this.#require(state, index, CELL, at);
        }
      }
    }
  }

  #require(state: Uint8Array, register: number, kind: number, at: number): void {
    if (state[register] === kind) return;
    fail(`${this.#path}.code[${at}]`, `register ${register} does not surely hold ${KIND_NAMES[kind]}`);
  }

  /** What one path brings to a block; a handler has the error, a value, in its register. */
  #join(block: number, state: Uint8Array, errorRegister = -1): void {
    this.#spend(state.length);
    const entry = this.#entries.get(block);
    if (entry === undefined) {
      const first = Uint8Array.from(state);
      if (errorRegister >= 0) first[errorRegister] = VALUE;
      this.#entries.set(block, first);
      this.#pending.add(block);
      return;
    }
    for (let register = 0; register < state.length; register += 1) {
      this.#merge(entry, block, register, register === errorRegister ? VALUE : (state[register] ?? 0));
    }
  }

  #joinOne(block: number, register: number, kind: number): void {
    const entry = this.#entries.get(block);
    if (entry !== undefined) this.#merge(entry, block, register, kind);
  }

  #merge(entry: Uint8Array, block: number, register: number, kind: number): void {
    const before = entry[register] ?? 0;
    if ((before | kind) === before) return;
    entry[register] = before | kind;
    this.#pending.add(block);
  }

  #spend(amount: number): void {
    this.#budget.left -= amount;
    if (this.#budget.left < 0) fail(this.#path, "has too many paths and registers to verify");
  }
}

function blockStarts({ code, handlers }: FunctionCode): Set<number> {
  const starts = new Set([0]);
  for (const { start, end, target } of handlers) starts.add(start).add(end).add(target);
  for (let position = 0; position < code.length;) {
    const operands = instructions[code[position] ?? 0]?.operands ?? [];
    const target = operands.indexOf("target");
    if (target >= 0) starts.add(code[position + 1 + target] ?? 0);
    position += 1 + operands.length;
  }
  starts.delete(code.length);
  return starts;
}
