import type { DurableKind, ProgramEdge } from "@cairnjs/ir";
import type { CallExpression, Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { erase, isErasedWrapper, isTypeOnly } from "../../1-parse/erase.ts";
import type { Linker } from "../link/linker.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import type { Module } from "../link/module.ts";
import { isFunction } from "../link/shape.ts";
import type { Resolution, Unit } from "../resolution.ts";
import type { Binding } from "../scope/binding.ts";
import { walkExpression } from "./expressions.ts";
import { type End, Flow, labelled, merged } from "./flow.ts";
import { Jumps, type Landing } from "./jumps.ts";
import { functionPart, propertyName, referenceName, stepName } from "./names.ts";
import { isCalled, isDurableCallee } from "./references.ts";
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
  /** As in a program, but −1 − n stands for the start or end of the n-th of `functions`. */
  readonly edges: readonly ProgramEdge[];
  /** The body first, then what runs at a time of its own: helpers, functions declared inside or kept in tables. */
  readonly functions: readonly Node[];
  /** Identifier or member expression, the `s` of `s.wait()`, or the call of `step`, `action` or `signal` itself. */
  readonly indexes: ReadonlyMap<Node, number>;
}

/** All durable references of a workflow, in the order of its code, with ids that formatting does not change. */
export function collectNodes(workflow: LinkedWorkflow, linker: Linker): CollectedNodes {
  const collector = new NodeCollector(workflow.name, linker);
  for (const unit of workflow.units) collector.unit(unit);
  const { nodes, flow, functions, indexes } = collector;
  return { nodes, edges: flow.edges, functions, indexes };
}

export class NodeCollector {
  readonly nodes: CollectedNode[] = [];
  readonly indexes = new Map<Node, number>();
  readonly functions: Node[] = [];
  readonly flow = new Flow();
  readonly jumps = new Jumps(this.flow);
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
  /** In what is given to `compensate`: nodes of the actions that it registers. */
  #registered: number[] | null = null;
  /** In an optional chain: where its links may have left it. */
  #short: (readonly End[])[] = [];

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
    else this.#apart(node, () => this.#walkUnit(node));
  }

  #walkUnit(node: Node): void {
    this.#walkFunction(node);
    // All waits stood above the declaration.
    for (const made of this.#waited.values()) if (!this.indexes.has(made)) this.#identify(made, "signal", "", "signal");
    this.#waited.clear();
  }

  #walkFunction(node: Node): void {
    for (const child of children(node)) this.walk(child);
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
    if (walkStatement(this, node) || walkExpression(this, node)) return;
    switch (node.type) {
      case "Identifier":
      case "MemberExpression": {
        const resolution = this.#linker.resolve(this.module, node);
        if (resolution !== null) return this.#reference(node, resolution);
        return node.type === "MemberExpression" ? this.#member(node) : undefined;
      }
      case "CallExpression":
        return this.#call(node);
      case "ChainExpression":
        return this.#chain(node);
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
        for (const child of children(node)) this.walk(child);
        return undefined;
    }
  }

  #member(node: Extract<Node, { type: "MemberExpression" }>): void {
    this.walk(node.object);
    if (node.optional) this.#short.push(this.flow.ends);
    if (node.computed) this.walk(node.property);
  }

  #chain({ expression }: Extract<Node, { type: "ChainExpression" }>): void {
    const outer = this.#short;
    this.#short = [];
    this.walk(expression);
    this.flow.join(this.flow.ends, ...this.#short);
    this.#short = outer;
  }

  /** A reference that is only a value may be called by whoever gets it, there or never. */
  #reference(node: Node, resolution: Resolution): void {
    if (resolution.kind !== "durable") return;
    const { flow } = this;
    const { durable: kind, name } = resolution;
    const last = referenceName(node, this.module, this.#linker);
    const isValue = !isCalled(node, this.module);
    if (isValue && this.#registered !== null) {
      this.#registered.push(this.#identify(node, kind, name, last));
      return;
    }
    const before = flow.ends;
    this.#add(node, kind, name, last);
    if (isValue && !this.#isTable) flow.join(before, flow.ends);
  }

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
    if (resolution?.kind === "durable" && resolution.durable === "compensate") return this.#compensate(node);
    const wait = waitOf(node, this.module, this.#linker);
    const waited = onlyWaited(node, this.module, this.#linker);
    if (wait !== null || waited !== null || isFunction(callee) || this.#isDurable(callee)) {
      for (const argument of node.arguments) this.walk(argument);
      if (wait !== null) this.#wait(wait);
      else if (waited !== null) this.#waited.set(waited, callee);
      else if (isFunction(callee)) this.#function(callee, true);
      else this.walk(callee);
      return;
    }
    this.walk(callee);
    if (node.optional) this.#short.push(this.flow.ends);
    for (const argument of node.arguments) this.walk(argument);
  }

  #isDurable(callee: Node): boolean {
    return isDurableCallee(callee, this.module, this.#linker);
  }

  /** What it registers runs when the run has failed: those nodes hang off it and stand in no other way. */
  #compensate({ arguments: [action, ...passed], callee }: CallExpression): void {
    const outer = this.#registered;
    const registered: number[] = [];
    this.#registered = registered;
    // With an id of their own kind: they do not count among the calls that run here.
    this.within("compensate", action ?? null);
    this.#registered = outer;
    for (const argument of passed) this.walk(argument);
    this.walk(callee);
    const from = this.nodes.length - 1;
    for (const to of registered) this.flow.connect({ from, label: "undo" }, to);
  }

  #wait({ object, binding }: Wait): void {
    const index = this.#add(object, "signal", "", binding.name);
    const made = this.#waited.get(binding);
    if (made !== undefined && !this.indexes.has(made)) this.indexes.set(made, index);
  }

  /** A function that is only declared is not reached from here; one that is passed or assigned may run at once. */
  #function(node: Node, isCalledHere = false): void {
    const { flow } = this;
    const wasTable = this.#isTable;
    const path = wasTable ? this.#path : this.enter(functionPart(node, this.module));
    this.#isTable = false;
    if (wasTable || node.type === "FunctionDeclaration") {
      this.#apart(node, () => this.#walkFunction(node));
    } else {
      const before = flow.ends;
      const returns: End[] = [];
      this.jumps.within(
        ({ kind }) => (kind === "return" ? returns : null),
        () => this.#walkFunction(node),
      );
      flow.join(isCalledHere ? [] : before, flow.ends, returns);
    }
    this.#isTable = wasTable;
    this.leave(path);
  }

  /** A function with a start and an end of its own; only the body is drawn when there is no node between them. */
  #apart(node: Node, walk: () => void): void {
    const { flow } = this;
    const outside = -this.functions.push(node);
    const returns: End[] = [];
    const thrown: End[] = [];
    const landing: Landing = ({ kind }) => (kind === "return" ? returns : kind === "throw" ? thrown : null);
    const outer = flow.begin(outside);
    this.jumps.apart(landing, walk);
    if (flow.place.hasNodes || outside === -1) {
      const failed = thrown.map((end) => labelled(end, "throw"));
      for (const end of merged(flow.ends, returns, failed)) flow.connect(end, outside);
    }
    flow.place = outer;
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

  /** A node that control reaches here. */
  #add(node: Node, kind: DurableKind, name: string, last: string): number {
    const index = this.#identify(node, kind, name, last);
    if (!this.#isTable) this.flow.enter(index);
    return index;
  }

  #identify(node: Node, kind: DurableKind, name: string, last: string): number {
    const base = this.#isTable ? this.#root : [this.#root, ...this.#path, last].join("/");
    const count = (this.#used.get(base) ?? 0) + 1;
    this.#used.set(base, count);
    const id = count === 1 ? base : `${base}#${count}`;
    const index = this.nodes.push({ id, kind, name, within: this.#path }) - 1;
    this.indexes.set(node, index);
    return index;
  }
}
