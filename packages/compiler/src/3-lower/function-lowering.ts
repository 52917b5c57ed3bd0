import type { Expression, Node, Statement } from "oxc-parser";
import { erase } from "../1-parse/erase.ts";
import type { Module } from "../2-analyze/link/module.ts";
import type { Frame } from "../2-analyze/scope/binding.ts";
import { isWrittenIn } from "../2-analyze/scope/source-range.ts";
import { CodeBuilder, type Label, type Register } from "./code.ts";
import { Control } from "./control.ts";
import { effectVisitors, expressionVisitors, statementVisitors } from "./visitors.ts";
import { lowerCondition } from "./expression/condition.ts";
import { isAnonymousFunction, lowerClosure } from "./expression/closure.ts";
import { PinnedLiterals } from "./pinned-literals.ts";
import type { Outside } from "./outside.ts";
import { Unlowerable } from "./unlowerable.ts";
import { Variables } from "./variables.ts";

export interface Place {
  readonly module: Module;
  readonly frame: Frame;
  readonly parent?: FunctionLowering;
  /** The next free one unless given. */
  readonly index?: number;
}

/** One function on its way to bytecode. The visitors, one for each kind of node, do the work. */
export class FunctionLowering {
  readonly code = new CodeBuilder();
  readonly control = new Control(this.code);
  readonly literals: PinnedLiterals;
  readonly variables: Variables;
  readonly outside: Outside;
  /** The function's place in the program. */
  readonly index: number;
  /** Changes only in the initialiser, which sets the constants of many modules. */
  module: Module;
  readonly frame: Frame;
  readonly parent: FunctionLowering | null;
  /** Where the optional chain being lowered ends when it meets null or undefined. */
  chain: Label | null = null;
  /** In the constructor of an error class: what runs when `super(…)` returns. */
  afterSuper: (() => void) | null = null;

  constructor(outside: Outside, place: Place) {
    this.outside = outside;
    this.module = place.module;
    this.frame = place.frame;
    this.parent = place.parent ?? null;
    this.index = place.index ?? outside.reserve(place.frame.node);
    this.variables = new Variables(this);
    this.literals = new PinnedLiterals(this);
  }

  nested(frame: Frame): FunctionLowering {
    return new FunctionLowering(this.outside, { module: this.module, frame, parent: this });
  }

  /**
   * Evaluates an expression. With `into`, the value ends up there; otherwise in a temporary, or, without any
   * instruction, in the register of the variable that the expression names.
   * `into` may be written before the value is final; see `writesLast` for where that matters.
   */
  expression(node: Node, into?: Register): Register {
    const bare = erase(node);
    const visit = (expressionVisitors as VisitorTable<Register>)[bare.type];
    if (visit === undefined) throw new Unlowerable(bare);
    const { code } = this;
    const mark = code.mark();
    const outer = code.at(bare.start);
    const result = visit(this, bare as Expression, into);
    code.at(outer);
    if (result < mark) code.release(mark);
    return result;
  }

  /** As `expression`, for a value that is still needed after the later nodes have been evaluated. */
  operand(node: Node, later: readonly (Node | null)[] = []): Register {
    return this.keep(this.expression(node), later);
  }

  /** The value of a register, safe from what the later nodes assign to the variable that lives in it. */
  keep(value: Register, later: readonly (Node | null)[]): Register {
    const binding = this.variables.livingIn(value);
    if (binding === undefined || !later.some((part) => part !== null && isWrittenIn(binding, part))) return value;
    const copy = this.code.take();
    this.code.emit("Move", copy, value);
    return copy;
  }

  /** As `expression`; an anonymous function gets the name. */
  named(node: Node, name: string, into?: Register): Register {
    const bare = erase(node);
    if (!isAnonymousFunction(bare)) return this.expression(node, into);
    const outer = this.code.at(bare.start);
    const result = lowerClosure(this, bare, into, name);
    this.code.at(outer);
    return result;
  }

  effect(node: Node): void {
    const bare = erase(node);
    const { code } = this;
    const mark = code.mark();
    const outer = code.at(bare.start);
    const visit = (effectVisitors as VisitorTable<void>)[bare.type];
    if (visit === undefined) this.expression(bare);
    else visit(this, bare as Expression, undefined);
    code.at(outer);
    code.release(mark);
  }

  /** Jumps to the label when the truth of the expression is `when`, and goes on otherwise. */
  condition(node: Node, label: Label, when: boolean): void {
    const bare = erase(node);
    const { code } = this;
    const mark = code.mark();
    const outer = code.at(bare.start);
    lowerCondition(this, bare as Expression, label, when);
    code.at(outer);
    code.release(mark);
  }

  statement(node: Statement): void {
    const visit = (statementVisitors as Record<string, ((f: this, node: Statement) => void) | undefined>)[node.type];
    if (visit === undefined) throw new Unlowerable(node);
    const { code } = this;
    const mark = code.mark();
    const outer = code.at(node.start);
    visit(this, node);
    code.at(outer);
    code.release(mark);
  }
}

type VisitorTable<T> = Record<
  string,
  ((f: FunctionLowering, node: Expression, into: Register | undefined) => T) | undefined
>;
