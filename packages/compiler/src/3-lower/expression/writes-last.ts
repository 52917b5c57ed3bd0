import type { Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";

/**
 * Whether the expression's code writes its result register once, with its last instruction, so that the result may
 * go straight into a variable that the expression itself reads, or that a handler sees when it throws midway.
 */
export function writesLast(node: Node): boolean {
  const bare = erase(node);
  switch (bare.type) {
    case "Literal":
    case "Identifier":
    case "TemplateLiteral":
    case "BinaryExpression":
    case "UnaryExpression":
    case "CallExpression":
    case "NewExpression":
    case "AwaitExpression":
    case "MemberExpression":
    case "ChainExpression":
    case "ArrowFunctionExpression":
    case "FunctionExpression":
    case "ThisExpression":
      return true;
    case "ConditionalExpression":
      return writesLast(bare.consequent) && writesLast(bare.alternate);
    case "SequenceExpression": {
      const last = bare.expressions.at(-1);
      return last !== undefined && writesLast(last);
    }
    default:
      return false;
  }
}
