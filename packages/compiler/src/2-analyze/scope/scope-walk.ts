import type { Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isTypeOnly } from "../../1-parse/erase.ts";
import type { Scope } from "./binding.ts";
import { ScopeTree } from "./scope-tree.ts";
import { blockVisitors } from "./visit-blocks.ts";
import { functionVisitors } from "./visit-functions.ts";
import { moduleItemVisitors } from "./visit-module-items.ts";
import { nameVisitors } from "./visit-names.ts";

export type NodeOf<T extends Node["type"]> = Extract<Node, { type: T }>;

/** Nodes that mean something to scopes; of any other only the parts are visited. */
export type ScopeVisitors = {
  readonly [T in Node["type"]]?: (walk: ScopeWalk, node: NodeOf<T>, scope: Scope, parent: Node) => void;
};

type AnyVisitor = (walk: ScopeWalk, node: Node, scope: Scope, parent: Node) => void;

const visitors: ReadonlyMap<string, AnyVisitor> = new Map(
  [nameVisitors, blockVisitors, functionVisitors, moduleItemVisitors].flatMap(
    (group) => Object.entries(group) as [string, AnyVisitor][],
  ),
);

/** Goes through a module, from each node with the scope it stands in. */
export class ScopeWalk {
  readonly tree = new ScopeTree();

  visit(node: Node, scope: Scope, parent: Node): void {
    this.tree.parents.set(node, parent);
    if (isTypeOnly(node)) return;
    const visitor = visitors.get(node.type);
    if (visitor === undefined) this.visitChildren(node, scope);
    else visitor(this, node, scope, parent);
  }

  visitAll(nodes: readonly (Node | null)[], scope: Scope, parent: Node): void {
    for (const node of nodes) if (node !== null) this.visit(node, scope, parent);
  }

  visitChildren(node: Node, scope: Scope): void {
    for (const child of children(node)) this.visit(child, scope, node);
  }
}
