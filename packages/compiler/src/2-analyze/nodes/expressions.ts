import type { Node } from "oxc-parser";
import type { NodeCollector } from "./collect.ts";
import { walkCondition } from "./conditions.ts";

/** Follows an expression that runs some of its parts only, or not in the order of the text; false for any other. */
export function walkExpression(collector: NodeCollector, node: Node): boolean {
  const { flow } = collector;
  switch (node.type) {
    case "ConditionalExpression": {
      const { held, failed } = walkCondition(collector, node.test);
      flow.branch(held, "then");
      collector.walk(node.consequent);
      const then = flow.ends;
      flow.branch(failed, "else");
      collector.walk(node.alternate);
      flow.join(then, flow.ends);
      return true;
    }
    case "LogicalExpression":
      collector.walk(node.left);
      maybe(collector, node.right, node.operator === "&&" ? "then" : "else");
      return true;
    case "AssignmentExpression":
      walkAssignment(collector, node);
      return true;
    case "VariableDeclarator":
      collector.walk(node.init);
      collector.walk(node.id);
      return true;
    case "AssignmentPattern":
      maybe(collector, node.right);
      collector.walk(node.left);
      return true;
    default:
      return false;
  }
}

/** A pattern is taken apart when the value is there; any other target comes first. */
function walkAssignment(collector: NodeCollector, node: Extract<Node, { type: "AssignmentExpression" }>): void {
  const { left, operator, right } = node;
  const isPattern = left.type === "ObjectPattern" || left.type === "ArrayPattern";
  if (!isPattern) collector.walk(left);
  if (operator === "&&=" || operator === "||=" || operator === "??=") {
    maybe(collector, right, operator === "&&=" ? "then" : "else");
  } else {
    collector.walk(right);
  }
  if (isPattern) collector.walk(left);
}

/** Code that runs or not, depending on the value before it. */
function maybe(collector: NodeCollector, node: Node, label?: string): void {
  const { flow } = collector;
  const before = flow.ends;
  if (label !== undefined) flow.branch(before, label);
  collector.walk(node);
  flow.join(before, flow.ends);
}
