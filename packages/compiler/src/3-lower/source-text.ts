import type { ArrayExpressionElement, BinaryExpression, LogicalExpression, Node, UnaryExpression } from "oxc-parser";
import { erase } from "../1-parse/erase.ts";
import { literalOf } from "./expression/literal-value.ts";
import { staticKey } from "./expression/property.ts";

const UNPRINTED = "(intermediate value)";

/** The expression as V8 prints it in errors about it: "items.map", "(intermediate value).x". */
export function sourceText(node: Node): string {
  const bare = erase(node);
  switch (bare.type) {
    case "Identifier":
      return bare.name;
    case "ThisExpression":
      return "this";
    case "Literal":
      return literalText(bare);
    case "MemberExpression":
      return memberText(bare);
    case "CallExpression":
      return `${sourceText(bare.callee)}(...)`;
    case "ArrayExpression":
      return `[${bare.elements.map(elementText).join(",")}]`;
    case "ObjectExpression":
      return `{${UNPRINTED.repeat(bare.properties.length)}}`;
    case "TemplateLiteral":
      if (bare.expressions.length > 0) return bare.expressions.map(sourceText).join("");
      return `"${bare.quasis[0]?.value.cooked ?? ""}"`;
    case "UnaryExpression":
      return unaryText(bare);
    case "UpdateExpression": {
      const argument = sourceText(bare.argument);
      return bare.prefix ? `(${bare.operator}${argument})` : `(${argument}${bare.operator})`;
    }
    case "AssignmentExpression":
      return sourceText(bare.left);
    case "BinaryExpression":
    case "LogicalExpression":
      return `(${operandsOf(bare as BinaryExpression)
        .map(sourceText)
        .join(` ${bare.operator} `)})`;
    case "SequenceExpression":
      return `(${bare.expressions.map(sourceText).join(" , ")})`;
    case "ConditionalExpression":
      return UNPRINTED.repeat(3);
    default:
      return UNPRINTED;
  }
}

/** What V8 puts in front of " is not iterable" when the iterable is the result of this expression. */
export function iterableText(node: Node): string {
  const bare = erase(node);
  if (bare.type !== "CallExpression" && bare.type !== "NewExpression") return sourceText(bare);
  return `${sourceText(bare.callee)} is not a function or its return value`;
}

/** What stands between "Cannot destructure " and " as it is undefined."; `%` for the value itself. */
export function destructuringText(pattern: Extract<Node, { type: "ObjectPattern" }>, text: string | null): string {
  const source = `'${text ?? "%"}'`;
  const [first] = pattern.properties;
  if (first === undefined || first.type === "RestElement") return source;
  const name = staticKey(first);
  return name === null ? source : `property '${name}' of ${source}`;
}

function literalText(node: Extract<Node, { type: "Literal" }>): string {
  if ("regex" in node) return `/${node.regex.pattern}/${node.regex.flags}`;
  if ("bigint" in node) return UNPRINTED;
  return typeof node.value === "string" ? `"${node.value}"` : String(node.value);
}

function memberText(node: Extract<Node, { type: "MemberExpression" }>): string {
  const object = sourceText(node.object);
  const link = node.optional ? "?." : "";
  if (!node.computed) return `${object}${link === "" ? "." : link}${node.property.name}`;
  const key = erase(node.property);
  const isTemplate = key.type === "TemplateLiteral" && key.expressions.length === 0;
  const name = isTemplate ? key.quasis[0]?.value.cooked : literalOf(key);
  if (typeof name === "string") return `${object}${link === "" ? "." : link}${name}`;
  return `${object}${link}[${sourceText(key)}]`;
}

function elementText(element: ArrayExpressionElement): string {
  if (element === null) return "";
  return element.type === "SpreadElement" ? `(...${sourceText(element.argument)})` : sourceText(element);
}

function unaryText(node: UnaryExpression): string {
  const literal = literalOf(node);
  if (literal !== undefined) return String(literal);
  const space = /[a-z]/.test(node.operator) ? " " : "";
  return `(${node.operator}${space}${sourceText(node.argument)})`;
}

/** V8 keeps `a + b + c` as one operation; comparisons and powers are not chained like that. */
function operandsOf(node: BinaryExpression | LogicalExpression): Node[] {
  const left = erase(node.left as Node);
  const isChain =
    (left.type === "BinaryExpression" || left.type === "LogicalExpression") &&
    left.operator === node.operator &&
    chained.has(node.operator);
  return isChain ? [...operandsOf(left as BinaryExpression), node.right] : [node.left, node.right];
}

const chained: ReadonlySet<string> = new Set([
  "+",
  "-",
  "*",
  "/",
  "%",
  "&",
  "|",
  "^",
  "<<",
  ">>",
  ">>>",
  "&&",
  "||",
  "??",
]);
