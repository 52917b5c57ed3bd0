import type { Statement } from "oxc-parser";
import type { Scope } from "./binding.ts";
import { declareLexical, declareParameters, declareVariables } from "./declare.ts";
import type { NodeOf, ScopeVisitors, ScopeWalk } from "./scope-walk.ts";
import { visitTarget } from "./visit-target.ts";

/** Statements that open scopes, or that are long chains. */
export const blockVisitors: ScopeVisitors = {
  BlockStatement: visitBlock,
  ForStatement: visitLoop,
  ForInStatement: visitLoop,
  ForOfStatement: visitLoop,
  IfStatement: visitIf,
  SwitchStatement: visitSwitch,
  CatchClause: visitCatch,
  LabeledStatement: (walk, node, scope) => walk.visit(node.body, scope, node),
  BreakStatement: () => undefined,
  ContinueStatement: () => undefined,
};

function visitBlock(walk: ScopeWalk, node: NodeOf<"BlockStatement">, outer: Scope): void {
  const statements = node.body as Statement[];
  const scope = walk.tree.open("block", node, outer, outer.frame);
  declareLexical(statements, scope, true);
  walk.visitAll(statements, scope, node);
}

function visitLoop(
  walk: ScopeWalk,
  node: NodeOf<"ForStatement" | "ForInStatement" | "ForOfStatement">,
  scope: Scope,
): void {
  const loop = walk.tree.open("loop", node, scope, scope.frame);
  if (node.type === "ForStatement") {
    if (node.init?.type === "VariableDeclaration") declareVariables(node.init, loop);
    walk.visitAll([node.init, node.test, node.update, node.body], loop, node);
    return;
  }
  if (node.left.type === "VariableDeclaration") {
    declareVariables(node.left, loop, node.right.end);
    walk.visit(node.left, loop, node);
  } else {
    visitTarget(walk, node.left, loop, node, "write");
  }
  walk.visit(node.right, loop, node);
  walk.visit(node.body, loop, node);
}

/** In a loop, since people write long chains of `else if`. */
function visitIf(walk: ScopeWalk, first: NodeOf<"IfStatement">, scope: Scope): void {
  for (let node = first; ;) {
    walk.visit(node.test, scope, node);
    walk.visit(node.consequent, scope, node);
    const { alternate } = node;
    if (alternate?.type !== "IfStatement") {
      if (alternate !== null) walk.visit(alternate, scope, node);
      return;
    }
    walk.tree.parents.set(alternate, node);
    node = alternate;
  }
}

function visitSwitch(walk: ScopeWalk, node: NodeOf<"SwitchStatement">, scope: Scope): void {
  walk.visit(node.discriminant, scope, node);
  const inner = walk.tree.open("switch", node, scope, scope.frame);
  for (const clause of node.cases) declareLexical(clause.consequent, inner, true);
  for (const clause of node.cases) {
    walk.tree.parents.set(clause, node);
    if (clause.test !== null) walk.visit(clause.test, inner, clause);
    walk.visitAll(clause.consequent, inner, clause);
  }
}

function visitCatch(walk: ScopeWalk, node: NodeOf<"CatchClause">, scope: Scope): void {
  const inner = walk.tree.open("catch", node, scope, scope.frame);
  if (node.param !== null) {
    declareParameters([node.param], inner, node.body.start);
    visitTarget(walk, node.param, inner, node, "init");
  }
  walk.visit(node.body, inner, node);
}
