import type { Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { NodeCollector } from "./collect.ts";
import type { End } from "./flow.ts";

/** Where control is when a condition held, and when it did not. */
export interface Outcome {
  readonly held: readonly End[];
  readonly failed: readonly End[];
}

/** Walks a test; `while (true)` is left by no failed test, and `a && b` fails without having reached `b`. */
export function walkCondition(collector: NodeCollector, node: Node | null): Outcome {
  const { flow } = collector;
  const bare = node === null ? null : erase(node);
  if (bare === null) return { held: flow.ends, failed: [] };
  if (bare.type === "Literal" && typeof bare.value === "boolean") {
    return bare.value ? { held: flow.ends, failed: [] } : { held: [], failed: flow.ends };
  }
  if (bare.type === "UnaryExpression" && bare.operator === "!") {
    const { held, failed } = walkCondition(collector, bare.argument);
    return { held: failed, failed: held };
  }
  if (bare.type === "LogicalExpression" && bare.operator !== "??") {
    const left = walkCondition(collector, bare.left);
    const isAnd = bare.operator === "&&";
    flow.branch(isAnd ? left.held : left.failed, isAnd ? "then" : "else");
    const right = walkCondition(collector, bare.right);
    return isAnd
      ? { held: right.held, failed: flow.met(left.failed, right.failed) }
      : { held: flow.met(left.held, right.held), failed: right.failed };
  }
  collector.walk(bare);
  return { held: flow.ends, failed: flow.ends };
}
