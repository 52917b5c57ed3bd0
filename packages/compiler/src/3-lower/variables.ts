import type { Capture, VariableDebug } from "@cairnjs/ir";
import type { Binding } from "../2-analyze/scope/binding.ts";
import type { Register } from "./code.ts";
import type { FunctionLowering } from "./function-lowering.ts";

/**
 * Where the variables of a function live: in registers; those that closures capture in cells, whose registers
 * hold the cell; those of enclosing functions among the closure's captures.
 */
export class Variables {
  readonly #f: FunctionLowering;
  readonly #registers = new Map<Binding, Register>();
  readonly #plain = new Map<Register, Binding>();
  readonly #outer = new Map<Binding, number>();
  /** Where each variable has been, for people. */
  readonly #placed: Placed[] = [];
  readonly #current = new Map<Binding, Placed>();

  constructor(f: FunctionLowering) {
    this.#f = f;
  }

  /** Gives the variable a register: of its own, or the one where its value arrives. */
  place(binding: Binding, register: Register = this.#f.code.take()): Register {
    this.#registers.set(binding, register);
    if (!binding.captured) this.#plain.set(register, binding);
    const where = { in: binding.captured ? ("cell" as const) : ("register" as const), index: register };
    const placed: Placed = { binding, ...where, start: this.#f.code.position, end: null };
    this.#placed.push(placed);
    this.#current.set(binding, placed);
    return register;
  }

  forget(binding: Binding): void {
    const register = this.#registers.get(binding);
    if (register !== undefined) this.#plain.delete(register);
    this.#registers.delete(binding);
    const placed = this.#current.get(binding);
    if (placed !== undefined) placed.end = this.#f.code.position;
  }

  /** All variables of the function, once it has all its code. */
  get debug(): VariableDebug[] {
    const length = this.#f.code.position;
    return this.#placed.map(({ binding, in: where, index, start, end }) => {
      const ready = where === "captured" ? 0 : binding.readyAfter;
      const name = binding.name.slice(0, NAME_SHOWN_MAX);
      return { name, in: where, index, start, end: end ?? length, ready };
    });
  }

  /** The variable whose value, not cell, the register holds. */
  livingIn(register: Register): Binding | undefined {
    return this.#plain.get(register);
  }

  /** The register that holds the variable's value itself. */
  plain(binding: Binding): Register | undefined {
    return binding.captured ? undefined : this.#registers.get(binding);
  }

  load(binding: Binding, checked: boolean, into?: Register): Register {
    const { code, outside } = this.#f;
    const own = this.#registers.get(binding);
    if (binding.kind === "self" && own === undefined && binding.scope.frame === this.#f.frame) {
      const result = into ?? code.take();
      code.emit("Self", result);
      return result;
    }
    if (own !== undefined && !binding.captured) {
      if (checked) code.emit("CheckInit", own, outside.tables.string(binding.name));
      if (into === undefined || into === own) return own;
      code.emit("Move", into, own);
      return into;
    }
    const result = into ?? code.take();
    const name = checked ? [outside.tables.string(binding.name)] : [];
    if (own !== undefined) code.emit(checked ? "LoadCellChecked" : "LoadCell", result, own, ...name);
    else code.emit(checked ? "LoadOuterChecked" : "LoadOuter", result, this.#outerIndex(binding), ...name);
    return result;
  }

  /** An assignment, after the declaration has run unless `checked` says that it may not have. */
  store(binding: Binding, value: Register, checked: boolean): void {
    const { code, outside } = this.#f;
    const own = this.#registers.get(binding);
    const name = checked ? [outside.tables.string(binding.name)] : [];
    if (own === undefined) {
      code.emit(checked ? "StoreOuterChecked" : "StoreOuter", this.#outerIndex(binding), value, ...name);
    } else if (binding.captured) {
      code.emit(checked ? "StoreCellChecked" : "StoreCell", own, value, ...name);
    } else {
      if (checked) code.emit("CheckInit", own, outside.tables.string(binding.name));
      if (own !== value) code.emit("Move", own, value);
    }
  }

  /**
   * The write of the declaration itself. A captured variable gets its cell here, unless something may look at it
   * earlier: then the scope has made one already.
   */
  initialise(binding: Binding, value: Register): void {
    const { code } = this.#f;
    if (binding.scope.kind === "module") return this.#f.outside.initialise(this.#f, binding, value);
    const own = this.#registers.get(binding);
    if (own !== undefined && binding.captured && !hasCellFromStart(binding)) code.emit("CellOf", own, value);
    else this.store(binding, value, false);
  }

  /** Where a closure created in this function finds the variable's cell. */
  capture(binding: Binding): Capture {
    const own = this.#registers.get(binding);
    if (own !== undefined) return { from: "register", index: own };
    return { from: "outer", index: this.#outerIndex(binding) };
  }

  #outerIndex(binding: Binding): number {
    const known = this.#outer.get(binding);
    if (known !== undefined) return known;
    const { code, parent } = this.#f;
    if (parent === null) throw new Error(`No place for the variable ${binding.name}`);
    const index = code.captures.push(parent.variables.capture(binding)) - 1;
    this.#outer.set(binding, index);
    this.#placed.push({ binding, in: "captured", index, start: 0, end: null });
    return index;
  }
}

/** Longer ones are cut where people see them. */
const NAME_SHOWN_MAX = 200;

interface Placed extends Pick<VariableDebug, "in" | "index" | "start"> {
  readonly binding: Binding;
  /** Null until its scope is left. */
  end: number | null;
}

function hasCellFromStart(binding: Binding): boolean {
  return binding.checked || binding.kind === "var" || binding.kind === "function";
}
