import type { AssignmentOperator, BinaryOperator, LogicalOperator, UnaryOperator, UpdateOperator } from "oxc-parser";
import { type TreeNode, childrenOf, nodeAt, parseTree } from "../run/syntax-tree.ts";
import type { LoweringTables } from "./lowering-tables.ts";

// Closed: an operator that a new parser brings does not compile here until the generator knows it.
const BINARY: Record<BinaryOperator, true> = {
  "!=": true,
  "!==": true,
  "%": true,
  "&": true,
  "*": true,
  "**": true,
  "+": true,
  "-": true,
  "/": true,
  "<": true,
  "<<": true,
  "<=": true,
  "==": true,
  "===": true,
  ">": true,
  ">=": true,
  ">>": true,
  ">>>": true,
  "^": true,
  in: true,
  instanceof: true,
  "|": true,
};
const LOGICAL: Record<LogicalOperator, true> = { "&&": true, "??": true, "||": true };
const UNARY: Record<UnaryOperator, true> = {
  "!": true,
  "+": true,
  "-": true,
  delete: true,
  typeof: true,
  void: true,
  "~": true,
};
const ASSIGNMENT: Record<AssignmentOperator, true> = {
  "%=": true,
  "&&=": true,
  "&=": true,
  "**=": true,
  "*=": true,
  "+=": true,
  "-=": true,
  "/=": true,
  "<<=": true,
  "=": true,
  ">>=": true,
  ">>>=": true,
  "??=": true,
  "^=": true,
  "|=": true,
  "||=": true,
};
const UPDATE: Record<UpdateOperator, true> = { "++": true, "--": true };

/** Kinds that no body contains: a spread of types, and modules' own syntax, which the linker reads. */
const NOT_LOWERED: ReadonlySet<string> = new Set(["ClassExpression"]);

/** Everything that the lowering has a line for, and the variants of those lines. */
export function syntaxGoals({ visitors, effects, accepted }: LoweringTables): string[] {
  return [
    ...new Set([...visitors, ...accepted.filter((type) => !NOT_LOWERED.has(type))]),
    ...effects.map((type) => `effect ${type}`),
    ...Object.keys(BINARY).map((operator) => `BinaryExpression ${operator}`),
    ...Object.keys(LOGICAL).flatMap((operator) => [`LogicalExpression ${operator}`, `condition ${operator}`]),
    ...Object.keys(UNARY).map((operator) => `UnaryExpression ${operator}`),
    ...Object.keys(ASSIGNMENT).flatMap((operator) => [
      `AssignmentExpression ${operator}`,
      `AssignmentExpression ${operator} member`,
    ]),
    ...Object.keys(UPDATE).flatMap((operator) =>
      ["prefix", "postfix"].flatMap((place) => [
        `UpdateExpression ${operator} ${place}`,
        `UpdateExpression ${operator} ${place} member`,
      ]),
    ),
    ...["const", "let", "var"].flatMap((kind) => [
      `VariableDeclaration ${kind}`,
      `ForOfStatement ${kind}`,
      `ForInStatement ${kind}`,
      `ForStatement ${kind}`,
    ]),
    ...["number", "string", "boolean", "null", "bigint", "regexp"].map((kind) => `Literal ${kind}`),
    ...[
      "MemberExpression computed",
      "MemberExpression optional",
      "CallExpression optional",
      "CallExpression spread",
      "NewExpression spread",
    ],
    ...[
      "Property computed",
      "Property shorthand",
      "Property method",
      "ObjectPattern rest",
      "ArrayPattern rest",
      "ArrayPattern hole",
    ],
    ...[
      "ArrowFunctionExpression async",
      "ArrowFunctionExpression expression",
      "FunctionExpression async",
      "FunctionDeclaration async",
      "FunctionExpression named",
    ],
    ...[
      "TryStatement catch",
      "TryStatement finally",
      "TryStatement both",
      "CatchClause none",
      "CatchClause pattern",
      "SwitchCase default",
    ],
    ...[
      "BreakStatement label",
      "ContinueStatement label",
      "ForStatement empty",
      "ForOfStatement target",
      "ForInStatement target",
    ],
  ];
}

/** What the source contains of it. */
export function syntaxOf(source: string): Set<string> {
  const found = new Set<string>();
  visit(parseTree("covered.ts", source), null, found);
  return found;
}

function visit(node: TreeNode, parent: TreeNode | null, found: Set<string>): void {
  found.add(node.type);
  for (const variant of variantsOf(node)) found.add(`${node.type} ${variant}`);
  if (parent?.type === "ExpressionStatement") found.add(`effect ${node.type}`);
  if (node.type === "LogicalExpression" && parent !== null && nodeAt(parent, "test") === node)
    found.add(`condition ${String(node["operator"])}`);
  for (const child of childrenOf(node))
    visit(child, node.type === "ParenthesizedExpression" && parent !== null ? parent : node, found);
}

function variantsOf(node: TreeNode): string[] {
  const operator = String(node["operator"]);
  const has = (field: string, name = field): string[] => (node[field] === true ? [name] : []);
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
    case "UnaryExpression":
      return [operator];
    case "AssignmentExpression":
      return [operator, ...(nodeAt(node, "left")?.type === "MemberExpression" ? [`${operator} member`] : [])];
    case "UpdateExpression": {
      const place = `${operator} ${node["prefix"] === true ? "prefix" : "postfix"}`;
      return [place, ...(nodeAt(node, "argument")?.type === "MemberExpression" ? [`${place} member`] : [])];
    }
    case "VariableDeclaration":
      return [String(node["kind"])];
    case "ForOfStatement":
    case "ForInStatement": {
      const left = nodeAt(node, "left")!;
      return [left.type === "VariableDeclaration" ? String(left["kind"]) : "target"];
    }
    case "ForStatement": {
      const init = nodeAt(node, "init");
      if (init === null && node["test"] === null) return ["empty"];
      return init?.type === "VariableDeclaration" ? [String(init["kind"])] : [];
    }
    case "Literal":
      return [literalKind(node)];
    case "MemberExpression":
      return [...has("computed"), ...has("optional")];
    case "CallExpression":
    case "NewExpression":
      return [...has("optional"), ...(hasType(node, "arguments", "SpreadElement") ? ["spread"] : [])];
    case "Property":
      return [...has("computed"), ...has("shorthand"), ...has("method")];
    case "ObjectPattern":
      return hasType(node, "properties", "RestElement") ? ["rest"] : [];
    case "ArrayPattern":
      return [
        ...(hasType(node, "elements", "RestElement") ? ["rest"] : []),
        ...((node["elements"] as unknown[]).includes(null) ? ["hole"] : []),
      ];
    case "ArrowFunctionExpression":
      return [...has("async"), ...has("expression")];
    case "FunctionExpression":
    case "FunctionDeclaration":
      return [...has("async"), ...(nodeAt(node, "id") === null ? [] : ["named"])];
    case "TryStatement": {
      const [caught, last] = [nodeAt(node, "handler") !== null, nodeAt(node, "finalizer") !== null];
      return [caught && last ? "both" : caught ? "catch" : "finally"];
    }
    case "CatchClause": {
      const parameter = nodeAt(node, "param");
      return [parameter === null ? "none" : parameter.type === "Identifier" ? "name" : "pattern"];
    }
    case "SwitchCase":
      return node["test"] === null ? ["default"] : [];
    case "BreakStatement":
    case "ContinueStatement":
      return nodeAt(node, "label") === null ? [] : ["label"];
    default:
      return [];
  }
}

function hasType(node: TreeNode, field: string, type: string): boolean {
  const list = node[field];
  return Array.isArray(list) && list.some((item) => (item as TreeNode | null)?.type === type);
}

function literalKind(node: TreeNode): string {
  if ("regex" in node && node["regex"] !== undefined && node["regex"] !== null) return "regexp";
  if ("bigint" in node && typeof node["bigint"] === "string") return "bigint";
  return node["value"] === null ? "null" : typeof node["value"];
}
