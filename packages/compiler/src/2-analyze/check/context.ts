import type { Node } from "oxc-parser";
import { isErasedWrapper } from "../../1-parse/erase.ts";
import type { DiagnosticSink } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";
import type { Global, Names, Resolution, Unit } from "../resolution.ts";

/** Where names are looked up. */
export interface NameContext {
  readonly module: Module;
  readonly names: Names;
}

/** `to` must have its value before `from` can be evaluated. */
export interface ConstantUse {
  readonly from: Global;
  readonly to: Global;
  readonly node: Node;
  readonly sink: DiagnosticSink;
}

/** What the visitors of one unit share. */
export interface CheckContext extends DiagnosticSink, NameContext {
  readonly unit: Unit;
  /**
   * The module-level constant whose initialiser this code is, so that it must be evaluable at compile time; null
   * in code that runs later: bodies, helpers, functions that a constant holds.
   */
  readonly evaluated: string | null;
  /** Nodes of which enough was said: what is below them is not looked at. */
  readonly settled: Set<Node>;
  /** Constants that the initialisers of other constants use. */
  readonly uses: ConstantUse[];
  /** Where each step name of the workflow was first used. */
  readonly stepNames: Map<string, Node>;
}

/** The nodes with this type, also those whose `type` is one of several names. */
export type NodeOf<T extends Node["type"]> = Matching<Node, T>;
type Matching<N extends Node, T> = N extends Node ? ([Extract<N["type"], T>] extends [never] ? never : N) : never;

/** One concern: what it looks at, by node type. `skip` ends the visit of this node and what is below it. */
export type Visitors = {
  readonly [T in Node["type"]]?: (node: NodeOf<T>, context: CheckContext) => "skip" | void;
};

export function sinkOf(module: Module, diagnostics: DiagnosticList): DiagnosticSink {
  return { file: module.id, source: module.source, diagnostics };
}

export function parentOf(node: Node, context: NameContext): Node | undefined {
  return context.module.scopes.parents.get(node);
}

/** The `a.b` whose object the node is. */
export function memberAround(node: Node, context: NameContext): Node | null {
  let inner = node;
  let parent = parentOf(node, context);
  while (parent !== undefined && isErasedWrapper(parent)) {
    inner = parent;
    parent = parentOf(parent, context);
  }
  return parent?.type === "MemberExpression" && parent.object === inner ? parent : null;
}

/** What an identifier or a member of an import namespace or enum means; null for anything else. */
export function resolutionOf(node: Node, context: NameContext): Resolution | null {
  if (node.type === "Identifier" && !context.module.scopes.references.has(node)) return null;
  if (node.type !== "Identifier" && node.type !== "MemberExpression") return null;
  return context.names.resolve(context.module, node);
}

const TEXT_MAX = 40;

/** Source of an expression in a message: on one line, and not the whole function. */
export function textOf(node: Node, context: DiagnosticSink): string {
  const text = context.source.slice(node.start, node.end).replaceAll(/\s+/g, " ");
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}
