import { builtinAt, isBuiltin } from "@cairnjs/ir";
import type { Expression, Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import { builtinPath, hasKnownMembers } from "./builtin-path.ts";
import { resolutionOf, textOf, type CheckContext, type NodeOf, type Visitors } from "./context.ts";
import { bare, isFunction, staticKeyName } from "./shape.ts";

/** Built-ins that the source names: those that are missing, and uses of others that are refused. */
export const builtinVisitors: Visitors = {
  MemberExpression(node, context) {
    const path = builtinPath(node, context);
    if (path === null || isBuiltin(path)) return;
    if (path === "Object.setPrototypeOf") report(context, "CAIRN2018", node, { name: path });
    else if (!hasOwnAdvice(path)) report(context, "CAIRN2019", node, { path });
  },
  /** `const { groupBy } = Object` */
  VariableDeclarator(node, context) {
    if (node.init !== null) checkDestructured(node.id, node.init, context);
  },
  AssignmentExpression(node, context) {
    if (node.operator === "=") checkDestructured(node.left, node.right, context);
  },
  CallExpression(node, context) {
    const path = builtinPath(node.callee, context);
    if (path === null) return;
    const isRefused = builtinAt(path)?.refused.includes("call") === true;
    if (isRefused) reportRefused(node, path, "", context);
    if (path === "Object.create") checkCreate(node, context);
    const descriptors = descriptorsOf(path, node);
    for (const descriptor of descriptors) checkDescriptor(descriptor, path, context);
  },
  NewExpression(node, context) {
    const path = builtinPath(node.callee, context);
    if (path !== null && builtinAt(path)?.refused.includes("new") === true) reportRefused(node, path, "new ", context);
  },
};

/** Names that another visitor reports on any object. */
function hasOwnAdvice(path: string): boolean {
  return /\.(?:__\w+__|localeCompare|toLocale\w+)$/.test(path);
}

const INSTEAD: Readonly<Record<string, string>> = {
  String: "String(value)",
  Number: "Number(value)",
  Boolean: "Boolean(value)",
  DOMException: "new Error(message)",
};

function reportRefused(node: Node, path: string, keyword: string, context: CheckContext): void {
  if (path === "Function") report(context, "CAIRN2014", node, { name: path });
  else report(context, "CAIRN2033", node, { use: `\`${keyword}${path}(…)\``, instead: INSTEAD[path] ?? path });
}

function checkDestructured(pattern: Node, source: Node, context: CheckContext): void {
  if (pattern.type !== "ObjectPattern") return;
  const owner = builtinPath(source, context);
  if (owner === null || !hasKnownMembers(owner)) return;
  for (const property of pattern.properties) {
    if (property.type !== "Property") continue;
    const name = staticKeyName(property);
    const path = `${owner}.${name}`;
    if (name !== null && !isBuiltin(path) && !hasOwnAdvice(path)) report(context, "CAIRN2019", property.key, { path });
  }
}

/** A variable may hold null, which is allowed; the run decides then. */
function checkCreate(node: NodeOf<"CallExpression">, context: CheckContext): void {
  const [first] = node.arguments;
  if (first === undefined || first.type === "SpreadElement" || !isSurelyObject(first, context)) return;
  report(context, "CAIRN2018", node, { name: `Object.create(${textOf(first, context)})` });
}

function isSurelyObject(node: Node, context: CheckContext): boolean {
  const inner = bare(node);
  if (inner.type === "ObjectExpression" || inner.type === "ArrayExpression" || isFunction(inner)) return true;
  if (inner.type === "NewExpression") return true;
  if (inner.type === "MemberExpression") return builtinPath(inner, context) !== null;
  const resolution = resolutionOf(inner, context);
  if (resolution?.kind !== "local" || resolution.binding.kind !== "const") return false;
  const { declaration } = resolution.binding;
  if (declaration.type !== "VariableDeclarator" || declaration.id.type !== "Identifier") return false;
  return declaration.init !== null && isSurelyObject(declaration.init, context);
}

/** Object literals at the places where these functions take property descriptors. */
function descriptorsOf(path: string, node: NodeOf<"CallExpression">): Expression[] {
  const argument = (index: number): Expression[] => {
    const value = node.arguments[index];
    return value === undefined || value.type === "SpreadElement" ? [] : [value];
  };
  if (path === "Object.defineProperty") return argument(2);
  const maps = path === "Object.defineProperties" || path === "Object.create" ? argument(1) : [];
  return maps.flatMap((map) => {
    const object = bare(map);
    if (object.type !== "ObjectExpression") return [];
    return object.properties.flatMap((property) => (property.type === "Property" ? [property.value] : []));
  });
}

function checkDescriptor(descriptor: Expression, path: string, context: CheckContext): void {
  const object = bare(descriptor);
  if (object.type !== "ObjectExpression") return;
  for (const property of object.properties) {
    if (property.type !== "Property" || property.kind !== "init") continue;
    const name = staticKeyName(property);
    if (name === "get" || name === "set") report(context, "CAIRN2017", property.key, { name: path });
  }
}
