import type { Node, Statement } from "oxc-parser";
import type { Scope } from "./binding.ts";
import { declareHoisted, declareLexical } from "./declare.ts";
import type { NodeOf, ScopeVisitors, ScopeWalk } from "./scope-walk.ts";

/** Imports and exports, and what only TypeScript declares. */
export const moduleItemVisitors: ScopeVisitors = {
  ImportDeclaration: visitModuleItem,
  ExportAllDeclaration: visitModuleItem,
  ExportNamedDeclaration: visitModuleItem,
  ExportDefaultDeclaration: visitModuleItem,
  ExportSpecifier: () => undefined,
  TSEnumDeclaration: visitEnum,
  TSModuleDeclaration: visitNamespace,
};

type ModuleItem = NodeOf<
  "ImportDeclaration" | "ExportAllDeclaration" | "ExportNamedDeclaration" | "ExportDefaultDeclaration"
>;

/** The parser accepts these wherever a statement may stand, engines only at the top level. */
function visitModuleItem(walk: ScopeWalk, node: ModuleItem, scope: Scope, parent: Node): void {
  if (parent.type !== "Program" && parent.type !== "TSModuleBlock") {
    const { start, end } = node;
    const keyword = node.type === "ImportDeclaration" ? "import" : "export";
    walk.tree.problems.push({ message: `\`${keyword}\` may only appear at the top level of a module`, start, end });
  }
  if (node.type === "ExportNamedDeclaration" || node.type === "ExportDefaultDeclaration") {
    walk.visitChildren(node, scope);
  }
}

function visitEnum(walk: ScopeWalk, node: NodeOf<"TSEnumDeclaration">, scope: Scope): void {
  const inner = walk.tree.open("enum", node, scope, scope.frame);
  walk.tree.parents.set(node.body, node);
  for (const member of node.body.members) {
    walk.tree.parents.set(member, node.body);
    if (member.initializer !== null) walk.visit(member.initializer, inner, member);
  }
}

/** Nothing in it can be used, but what it does to names around it is seen. */
function visitNamespace(walk: ScopeWalk, node: NodeOf<"TSModuleDeclaration">, scope: Scope): void {
  if (node.body == null) return;
  const statements = node.body.body as Statement[];
  walk.tree.parents.set(node.body, node);
  const inner = walk.tree.open("body", node.body, scope, scope.frame);
  declareHoisted(statements, inner, null);
  declareLexical(statements, inner, false);
  walk.visitAll(statements, inner, node.body);
}
