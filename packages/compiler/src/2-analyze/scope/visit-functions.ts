import type { ArrowFunctionExpression, Class, Function, Node, Statement } from "oxc-parser";
import type { Frame, Scope } from "./binding.ts";
import { alwaysReady, declare, declareHoisted, declareLexical, declareParameters, hasExpressions } from "./declare.ts";
import type { ScopeVisitors, ScopeWalk } from "./scope-walk.ts";
import { visitTarget } from "./visit-target.ts";

/** What has a frame of its own: functions, and the constructors of classes. */
export const functionVisitors: ScopeVisitors = {
  FunctionDeclaration: visitFunction,
  FunctionExpression: visitFunction,
  ArrowFunctionExpression: (walk, node, scope) =>
    visitFrame(walk, node, scope, { node, parent: scope.frame, kind: "arrow", thisBinding: null }),
  ClassDeclaration: visitClass,
  ClassExpression: visitClass,
};

function visitFunction(walk: ScopeWalk, node: Function, scope: Scope, parent: Node): void {
  const isMethod = parent.type === "MethodDefinition" || (parent.type === "Property" && parent.method);
  const kind = isMethod ? "method" : "function";
  const frame: Frame = { node, parent: scope.frame, kind, thisBinding: null };
  let outer = scope;
  if (node.type === "FunctionExpression" && node.id !== null) {
    outer = walk.tree.open("self", node.id, scope, frame);
    declare(outer, node.id.name, "self", node, alwaysReady);
  }
  visitFrame(walk, node, outer, frame);
}

function visitFrame(walk: ScopeWalk, node: Function | ArrowFunctionExpression, outer: Scope, frame: Frame): void {
  walk.tree.frames.set(node, frame);
  const scope = walk.tree.open("parameters", node, outer, frame);
  if (node.body === null) return;
  declareParameters(node.params, scope, node.body.start);
  for (const parameter of node.params) {
    if (parameter.type === "Identifier" && parameter.name === "this") continue;
    visitTarget(walk, parameter, scope, node, "init");
  }
  walk.tree.parents.set(node.body, node);
  if (node.body.type !== "BlockStatement") {
    walk.visit(node.body, scope, node);
    return;
  }
  const statements = node.body.body as Statement[];
  const body = walk.tree.open("body", node.body, scope, frame);
  declareHoisted(statements, body, hasExpressions(node.params) ? null : scope);
  declareLexical(statements, body, false);
  walk.visitAll(statements, body, node.body);
}

/** Field initialisers run in the constructor, yet do not see its parameters. */
function visitClass(walk: ScopeWalk, node: Class, scope: Scope): void {
  if (node.superClass !== null) walk.visit(node.superClass, scope, node);
  walk.tree.parents.set(node.body, node);
  const constructor = node.body.body.find(
    (member) => member.type === "MethodDefinition" && member.kind === "constructor" && member.value.body !== null,
  );
  const owner = constructor?.type === "MethodDefinition" ? constructor.value : node;
  const frame: Frame = { node: owner, parent: scope.frame, kind: "constructor", thisBinding: null };
  walk.tree.frames.set(owner, frame);
  const fields = walk.tree.open("class", node, scope, frame);
  // The constructor goes first: `this` in an arrow of a field is a binding of its scope.
  if (constructor !== undefined) {
    walk.tree.parents.set(constructor, node.body);
    walk.tree.parents.set(owner, constructor);
    visitFrame(walk, owner as Function, scope, frame);
  }
  for (const member of node.body.body) if (member !== constructor) walk.visit(member, fields, node.body);
}
