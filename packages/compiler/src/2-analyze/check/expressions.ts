import { RegExpValidator } from "@eslint-community/regexpp";
import { report } from "../diagnostic.ts";
import type { CheckContext, NodeOf, Visitors } from "./context.ts";

/** Expressions that workflow bodies do not have. */
export const expressionVisitors: Visitors = {
  TaggedTemplateExpression(node, context) {
    report(context, "CAIRN1014", node);
  },
  ImportExpression(node, context) {
    report(context, "CAIRN1017", node);
  },
  Decorator(node, context) {
    report(context, "CAIRN1013", node);
  },
  JSXElement: reportJsx,
  JSXFragment: reportJsx,
  Literal(node, context) {
    if (!("regex" in node)) return;
    const { pattern, flags } = node.regex;
    if (isTooDeep(pattern)) {
      report(context, "CAIRN1028", node, { problem: "it is nested too deeply" });
      return;
    }
    const problem = regexProblem(pattern, flags);
    if (problem !== null) report(context, "CAIRN1026", node, { problem });
  },
};

function reportJsx(node: NodeOf<"JSXElement" | "JSXFragment">, context: CheckContext): void {
  report(context, "CAIRN1019", node);
}

/**
 * The parser takes any text between the slashes, and the host's `RegExp` would accept what only newer versions
 * know, so the pattern is checked against the edition that the matcher implements.
 */
function regexProblem(pattern: string, flags: string): string | null {
  const validator = new RegExpValidator({ ecmaVersion: 2024 });
  try {
    validator.validateFlags(flags);
    const unicode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
    validator.validatePattern(pattern, 0, pattern.length, unicode);
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const prefix = `Invalid regular expression: /${pattern}/${flags}: `;
    return error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message;
  }
}

/** Groups and classes inside each other, each of which is a call of its own in the validator and the matcher. */
const GROUPS_MAX = 250;

function isTooDeep(pattern: string): boolean {
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "(" || character === "[") depth += 1;
    else if (character === ")" || character === "]") depth -= 1;
    if (depth > GROUPS_MAX) return true;
  }
  return false;
}
