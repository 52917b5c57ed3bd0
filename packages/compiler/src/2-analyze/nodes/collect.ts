import type { DurableKind, ProgramEdge } from "@cairnjs/ir";
import type { CallExpression, Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { erase, isErasedWrapper, isTypeOnly } from "../../1-parse/erase.ts";
import type { Linker } from "../link/linker.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import type { Module } from "../link/module.ts";
import type { Resolution, Unit } from "../resolution.ts";
import type { Binding } from "../scope/binding.ts";
import { Flow } from "./flow.ts";
import { functionPart, propertyName, referenceName, stepName } from "./names.ts";
import { walkStatement } from "./statements.ts";
import { type Wait, onlyWaited, waitOf } from "./waits.ts";

/** A durable reference in the source; `ProgramNode` lacks only the function, which lowering knows. */
interface CollectedNode {
  readonly id: string;
  readonly kind: DurableKind;
  readonly name: string;
  readonly within: readonly string[];
}

export interface CollectedNodes {
  readonly nodes: readonly CollectedNode[];
  readonly edges: readonly ProgramEdge[];
  /** Identifier or member expression, the `s` of `s.wait()`, or the call of `step`, `action` or `signal` itself. */
  readonly indexes: ReadonlyMap<Node, number>;
}

/** All durable references of a workflow, in the order of its code, with ids that formatting does not change. */
export function collectNodes(workflow: LinkedWorkflow, linker: Linker): CollectedNodes {
  const collector = new NodeCollector(workflow.name, linker);
  for (const unit of workflow.units) collector.unit(unit);
  return { nodes: collector.nodes, edges: collector.flow.edges, indexes: collector.indexes };
}

export class NodeCollector {
  readonly nodes: CollectedNode[] = [];
  readonly indexes = new Map<Node, number>();
  readonly flow = new Flow();
  readonly #workflow: string;
  readonly #linker: Linker;
  readonly #used = new Map<string, number>();
  /** Callees of `const s = signal(…)` that stand for no node of their own: they get that of the first wait. */
  readonly #waited = new Map<Binding, Node>();
  #module: Module | null = null;
  #root = "";
  #path: readonly string[] = [];
  /** In the initialiser of a constant, outside of functions: ids are the place in the table. */
  #isTable = false;

  constructor(workflow: string, linker: Linker) {
    this.#workflow = workflow;
    this.#linker = linker;
  }

  unit({ module, name, node, role }: Unit): void {
    if (role === "class" || role === "enum") return;
    this.#module = module;
    this.#root = name;
    this.#path = [];
    this.flow.ends = [];
    this.#isTable = role === "constant";
    if (role === "constant") this.walk(node);
    else for (const child of children(node)) this.walk(child);
    // All waits stood above the declaration.
    for (const made of this.#waited.values()) if (!this.indexes.has(made)) this.#add(made, "signal", "", "signal");
    this.#waited.clear();
  }

  /** Walks code inside a structure. */
  within(part: string, node: Node | null): void {
    const outer = this.enter(part);
    this.walk(node);
    this.leave(outer);
  }

  /** What is walked next is inside a structure, until `leave` is given the path that was before. */
  enter(part: string): readonly string[] {
    const outer = this.#path;
    this.#path = [...outer, part];
    return outer;
  }

  leave(outer: readonly string[]): void {
    this.#path = outer;
  }

  get module(): Module {
    if (this.#module === null) throw new Error("No unit is being walked");
    return this.#module;
  }

  walk(node: Node | null): void {
    if (node === null || isTypeOnly(node) || this.#linker.isOpaque(this.module, node)) return;
    if (isErasedWrapper(node)) return this.walk(node.expression);
    if (walkStatement(this, node)) return;
    switch (node.type) {
      case "Identifier":
      case "MemberExpression": {
        const resolution = this.#linker.resolve(this.module, node);
        if (resolution !== null) return this.#reference(node, resolution);
        return this.#walkChildren(node);
      }
      case "CallExpression":
        return this.#call(node);
      case "ConditionalExpression":
        return this.#conditional(node);
      case "LogicalExpression": {
        this.walk(node.left);
        const left = this.flow.ends;
        this.walk(node.right);
        return this.flow.join(left, this.flow.ends);
      }
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.#function(node);
      case "Property":
        return this.#property(node);
      case "ArrayExpression":
        for (const [index, element] of node.elements.entries()) this.#inTable(String(index), element);
        return undefined;
      default:
        return this.#walkChildren(node);
    }
  }

  #walkChildren(node: Node): void {
    for (const child of children(node)) this.walk(child);
  }

  #reference(node: Node, resolution: Resolution): void {
    if (resolution.kind !== "durable") return;
    const { durable: kind, name } = resolution;
    this.#add(node, kind, name, referenceName(node, this.module, this.#linker));
  }

  /** Arguments are ready before the call starts, so their nodes come first. */
  #call(node: CallExpression): void {
    const callee = erase(node.callee);
    const resolution = this.#linker.resolve(this.module, callee);
    if (resolution?.kind === "primitive" && resolution.name === "step") {
      const name = stepName(node, this.module, this.#linker);
      if (name !== null) this.#add(node, "action", `${this.#workflow}/${name}`, name);
      return;
    }
    const declared = this.#isTable ? this.#linker.durableDeclaration(this.module, node) : null;
    if (declared?.kind === "durable") {
      this.#add(node, declared.durable, declared.name, declared.name);
      return;
    }
    for (const argument of node.arguments) this.walk(argument);
    const wait = waitOf(node, this.module, this.#linker);
    if (wait !== null) return this.#wait(wait);
    const waited = onlyWaited(node, this.module, this.#linker);
    if (waited === null) this.walk(node.callee);
    else this.#waited.set(waited, callee);
  }

  #wait({ object, binding }: Wait): void {
    const index = this.#add(object, "signal", "", binding.name);
    const made = this.#waited.get(binding);
    if (made !== undefined && !this.indexes.has(made)) this.indexes.set(made, index);
  }

  #conditional(node: Extract<Node, { type: "ConditionalExpression" }>): void {
    const { flow } = this;
    this.walk(node.test);
    const from = flow.ends;
    flow.branch(from, "then");
    this.walk(node.consequent);
    const then = flow.ends;
    flow.branch(from, "else");
    this.walk(node.alternate);
    flow.join(then, flow.ends);
  }

  /** A function that is only declared is not reached from here; one that is passed or assigned may run at once. */
  #function(node: Node): void {
    const { flow } = this;
    const before = flow.ends;
    const wasTable = this.#isTable;
    const path = wasTable ? this.#path : this.enter(functionPart(node, this.module));
    const isApart = wasTable || node.type === "FunctionDeclaration";
    if (isApart) flow.ends = [];
    this.#isTable = false;
    this.#walkChildren(node);
    this.#isTable = wasTable;
    this.leave(path);
    if (isApart) flow.ends = before;
    else flow.join(before, flow.ends);
  }

  #property(node: Extract<Node, { type: "Property" }>): void {
    if (node.computed) this.walk(node.key);
    this.#inTable(propertyName(node), node.value);
  }

  #inTable(part: string | null, node: Node | null): void {
    const outer = this.#root;
    if (this.#isTable && part !== null) this.#root = `${outer}.${part}`;
    this.walk(node);
    this.#root = outer;
  }

  #add(node: Node, kind: DurableKind, name: string, last: string): number {
    const base = this.#isTable ? this.#root : [this.#root, ...this.#path, last].join("/");
    const count = (this.#used.get(base) ?? 0) + 1;
    this.#used.set(base, count);
    const id = count === 1 ? base : `${base}#${count}`;
    const index = this.nodes.push({ id, kind, name, within: this.#path }) - 1;
    this.indexes.set(node, index);
    if (!this.#isTable) this.flow.enter(index);
    return index;
  }
}
