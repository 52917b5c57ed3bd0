import { Op, type Capture, type Handler, type OpcodeName } from "@cairnjs/ir";

export type Register = number;

/** A position in the code that may not be known yet. */
export class Label {
  position = -1;
  readonly uses: number[] = [];
}

/**
 * Owns the instructions, registers and side tables of one function while they are made.
 *
 * I1 Registers are a stack: what is taken last is given back first, so a temporary and the variables of a scope
 *    never share a register while both live, and consecutive takes are consecutive registers.
 * I2 An instruction reads its operands before it writes its result: both may be the same register.
 */
export class CodeBuilder {
  readonly code: number[] = [];
  readonly handlers: Handler[] = [];
  readonly texts: [number, number][] = [];
  readonly spans: number[] = [];
  readonly captures: Capture[] = [];
  registersMax = 0;
  #next = 0;
  #offset = 0;
  #spanOffset = -1;
  #boundAt = -1;
  #last: OpcodeName | null = null;

  /** Sets the source offset of the instructions that follow. Returns the one before, to go back to. */
  at(offset: number): number {
    const before = this.#offset;
    this.#offset = offset;
    return before;
  }

  get position(): number {
    return this.code.length;
  }

  emit(name: OpcodeName, ...operands: (number | Label)[]): void {
    const { code, spans } = this;
    if (this.#offset !== this.#spanOffset) {
      spans.push(code.length, this.#offset);
      this.#spanOffset = this.#offset;
    }
    code.push(Op[name]);
    this.#last = name;
    for (const operand of operands) {
      if (typeof operand === "number") {
        code.push(operand);
      } else {
        if (operand.position === -1) operand.uses.push(code.length);
        code.push(operand.position);
      }
    }
  }

  bind(label: Label): void {
    label.position = this.code.length;
    this.#boundAt = this.code.length;
    for (const use of label.uses) this.code[use] = label.position;
  }

  /** Whether what is emitted next can be reached: by falling through, a jump or a handler. */
  get isReachable(): boolean {
    if (this.#last !== "Return" && this.#last !== "ReturnUndefined" && this.#last !== "Throw") return true;
    return this.#boundAt === this.code.length || this.handlers.some(({ target }) => target === this.code.length);
  }

  take(): Register {
    return this.takeMany(1);
  }

  takeMany(count: number): Register {
    const first = this.#next;
    this.#next += count;
    if (this.#next > this.registersMax) this.registersMax = this.#next;
    return first;
  }

  /** For `release`: all registers taken after it. */
  mark(): number {
    return this.#next;
  }

  release(mark: number): void {
    this.#next = mark;
  }

  /** The text for error messages of the instruction that comes next. */
  text(constant: number): void {
    this.texts.push([this.code.length, constant]);
  }
}
