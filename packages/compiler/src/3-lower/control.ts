import { Label, type CodeBuilder, type Register } from "./code.ts";

/** A statement that `break` or `continue` can leave or go on with. */
interface JumpTarget {
  readonly labels: readonly string[];
  readonly breakLabel: Label;
  /** null for a `switch` or a labelled block. */
  readonly continueLabel: Label | null;
  /** Whether `break` without a label means it. */
  readonly isPlain: boolean;
}

/** A `finally` around the code being lowered: what leaves says how in `kind` and with what in `value`. */
export interface Finally {
  readonly kind: Register;
  readonly value: Register;
  readonly entry: Label;
  /** Jumps that wait for the end of the finally block; their kinds are 3, 4, … */
  readonly exits: { readonly target: JumpTarget; readonly label: Label }[];
  returns: boolean;
}

const NORMAL = 0;
const THROWN = 1;
const RETURN = 2;
const FIRST_EXIT = 3;

/** Ways out of nested statements, through the `finally` blocks between. */
export class Control {
  readonly #code: CodeBuilder;
  readonly #stack: (JumpTarget | Finally)[] = [];
  /** Labels in front of the statement that is lowered next. */
  #pending: string[] = [];

  constructor(code: CodeBuilder) {
    this.#code = code;
  }

  label(name: string): void {
    this.#pending.push(name);
  }

  takeLabels(): string[] {
    const labels = this.#pending;
    this.#pending = [];
    return labels;
  }

  within(entry: JumpTarget | Finally, action: () => void): void {
    this.#stack.push(entry);
    action();
    this.#stack.pop();
  }

  break(label: string | null): void {
    const target = this.#find((entry) => (label === null ? entry.isPlain : entry.labels.includes(label)));
    this.#jump(target, target.breakLabel);
  }

  continue(label: string | null): void {
    const target = this.#find(
      (entry) => entry.continueLabel !== null && (label === null || entry.labels.includes(label)),
    );
    this.#jump(target, target.continueLabel ?? target.breakLabel);
  }

  #find(matches: (entry: JumpTarget) => boolean): JumpTarget {
    const found = this.#stack.findLast((entry) => "labels" in entry && matches(entry));
    if (found === undefined || !("labels" in found)) throw new Error("A jump without a target");
    return found;
  }

  #jump(target: JumpTarget, label: Label): void {
    const outer = this.#stack.slice(this.#stack.indexOf(target) + 1).findLast((entry) => "exits" in entry);
    if (outer === undefined || !("exits" in outer)) {
      this.#code.emit("Jump", label);
      return;
    }
    let index = outer.exits.findIndex((exit) => exit.label === label);
    if (index === -1) index = outer.exits.push({ target, label }) - 1;
    this.#leave(outer, FIRST_EXIT + index);
  }

  return(value: Register | null): void {
    const outer = this.#stack.findLast((entry) => "exits" in entry);
    if (outer === undefined || !("exits" in outer)) {
      if (value === null) this.#code.emit("ReturnUndefined");
      else this.#code.emit("Return", value);
      return;
    }
    outer.returns = true;
    if (value === null) this.#code.emit("Undefined", outer.value);
    else if (value !== outer.value) this.#code.emit("Move", outer.value, value);
    this.#leave(outer, RETURN);
  }

  #leave(outer: Finally, kind: number): void {
    this.#code.emit("Int", outer.kind, kind);
    this.#code.emit("Jump", outer.entry);
  }

  /** Normal end of what the finally guards. */
  endGuarded(entry: Finally): void {
    this.#leave(entry, NORMAL);
  }

  /** What the handler does: its register is `value`. */
  beginThrown(entry: Finally): void {
    this.#code.emit("Int", entry.kind, THROWN);
  }

  /** After the finally block: goes on with what had been on its way out. */
  dispatch(entry: Finally): void {
    const code = this.#code;
    const done = new Label();
    code.emit("JumpFalse", entry.kind, done);
    this.#when(entry, RETURN, entry.returns, () => this.return(entry.value));
    for (const [index, { target, label }] of entry.exits.entries()) {
      this.#when(entry, FIRST_EXIT + index, true, () => this.#jump(target, label));
    }
    code.emit("Throw", entry.value);
    code.bind(done);
  }

  #when(entry: Finally, kind: number, used: boolean, action: () => void): void {
    if (!used) return;
    const code = this.#code;
    const next = new Label();
    const mark = code.mark();
    const test = code.take();
    code.emit("Int", test, kind);
    code.emit("StrictEqual", test, entry.kind, test);
    code.emit("JumpFalse", test, next);
    code.release(mark);
    action();
    code.bind(next);
  }
}
