import type { ErrorClass, FunctionCode, FunctionDebug, GlobalSlot, LiftedStep } from "@cairnjs/ir";
import type { CallExpression, Node } from "oxc-parser";
import { erase } from "../1-parse/erase.ts";
import { LineTable } from "../2-analyze/line-table.ts";
import type { Linker } from "../2-analyze/link/linker.ts";
import type { Module } from "../2-analyze/link/module.ts";
import type { LinkedWorkflow } from "../2-analyze/link/reach.ts";
import type { CollectedNodes } from "../2-analyze/nodes/collect.ts";
import { stepName } from "../2-analyze/nodes/names.ts";
import type { Global, Resolution } from "../2-analyze/resolution.ts";
import type { Binding } from "../2-analyze/scope/binding.ts";
import type { Register } from "./code.ts";
import type { FunctionLowering } from "./function-lowering.ts";
import type { Outside } from "./outside.ts";
import { Tables } from "./tables.ts";
import { Unlowerable } from "./unlowerable.ts";

/** The program that is being made. */
export class ProgramOutside implements Outside {
  readonly tables = new Tables();
  readonly functions: (FunctionCode | undefined)[] = [];
  readonly debug: (FunctionDebug | undefined)[] = [];
  readonly files: string[] = [];
  readonly lines: (readonly number[])[] = [];
  readonly globals: GlobalSlot[] = [];
  readonly classes: ErrorClass[] = [];
  readonly steps: LiftedStep[] = [];
  /** Function indexes by where they stand in the source. */
  readonly indexes = new Map<Node, number>();
  /** Function indexes of helpers. */
  readonly helpers = new Map<Global, number>();
  /** Per node, the function whose code holds it. */
  readonly holders: number[] = [];
  readonly linker: Linker;
  readonly #workflow: LinkedWorkflow;
  readonly #nodes: CollectedNodes;
  readonly #slots = new Map<Global, number>();

  constructor(workflow: LinkedWorkflow, linker: Linker, nodes: CollectedNodes) {
    this.linker = linker;
    this.#workflow = workflow;
    this.#nodes = nodes;
  }

  resolve(module: Module, node: Node): Resolution | null {
    return this.linker.resolve(module, node);
  }

  slot(global: Global): number {
    const known = this.#slots.get(global);
    if (known !== undefined) return known;
    const index = this.globals.push({ name: `${baseName(global.module.id)}#${global.name}` }) - 1;
    this.#slots.set(global, index);
    return index;
  }

  hasSlot(global: Global): boolean {
    return this.#slots.has(global);
  }

  durable(f: FunctionLowering, node: Node): number {
    const index = this.#nodes.indexes.get(node);
    if (index === undefined) throw new Unlowerable(node, "a durable reference without a node");
    this.holders[index] = f.index;
    return index;
  }

  isWaited(module: Module, node: Node): boolean {
    return this.#nodes.indexes.has(node) && this.resolve(module, node)?.kind === "local";
  }

  reserve(node: Node): number {
    this.debug.push(undefined);
    const index = this.functions.push(undefined) - 1;
    this.indexes.set(node, index);
    return index;
  }

  define(index: number, code: FunctionCode, debug: Omit<FunctionDebug, "file">, module: Module): void {
    this.functions[index] = code;
    this.debug[index] = { file: this.#file(module), ...debug };
  }

  #file({ id, source }: Module): number {
    const known = this.files.indexOf(id);
    if (known !== -1) return known;
    this.lines.push(new LineTable(source).lengths);
    return this.files.push(id) - 1;
  }

  initialise(f: FunctionLowering, binding: Binding, value: Register): void {
    const global = this.linker.globalOf(f.module, binding);
    if (global === null) throw new Unlowerable(binding.declaration);
    f.code.emit("SetGlobal", this.slot(global), value);
  }

  special(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register | null {
    const callee = this.linker.resolve(f.module, erase(node.callee));
    if (callee?.kind === "primitive" && callee.name === "step") return this.#step(f, node, into);
    const isDeclaration = callee?.kind === "primitive" && (callee.name === "action" || callee.name === "workflow");
    const isSignal = callee?.kind === "durable" && callee.durable === "signal" && callee.declaration === null;
    if (!isDeclaration && !(isSignal && f.frame.kind === "module")) return null;
    if (f.frame.kind !== "module") throw new Unlowerable(node, "a declaration inside a function");
    const result = into ?? f.code.take();
    f.code.emit("Durable", result, this.durable(f, node));
    return result;
  }

  /** The arrow of a step becomes an action; the call passes what it uses, by name. */
  #step(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register {
    const name = stepName(node, f.module, this.linker);
    const last = node.arguments.at(-1);
    const arrow = last === undefined ? null : erase(last);
    if (name === null || arrow === null) throw new Unlowerable(node, "a step without a name or function");
    const captures = this.linker.stepCaptures(f.module, arrow);
    const action = `${this.#workflow.name}/${name}`;
    const { start, end } = arrow;
    this.steps.push({ action, captures: captures.map((binding) => binding.name), file: f.module.id, start, end });
    const { code } = f;
    const mark = code.mark();
    const callee = code.take();
    code.emit("Durable", callee, this.durable(f, node));
    const passed = code.take();
    code.emit("Object", passed);
    for (const binding of captures) {
      const inner = code.mark();
      code.emit("Define", passed, this.tables.string(binding.name), f.variables.load(binding, binding.checked));
      code.release(inner);
    }
    code.release(mark);
    const result = into ?? code.take();
    code.text(this.tables.string("step"));
    code.emit("Call", result, callee, -1, passed, 1);
    return result;
  }
}

function baseName(id: string): string {
  return id.slice(Math.max(id.lastIndexOf("/"), id.lastIndexOf("\\")) + 1);
}
