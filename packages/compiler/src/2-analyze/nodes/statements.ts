import type { Node } from "oxc-parser";
import type { NodeCollector } from "./collect.ts";
import type { End } from "./flow.ts";
import { lastName } from "./names.ts";

type LoopNode = Extract<
  Node,
  { type: "ForStatement" | "ForOfStatement" | "ForInStatement" | "WhileStatement" | "DoWhileStatement" }
>;

/** Follows a statement that changes the way of control; false for any other node. */
export function walkStatement(collector: NodeCollector, node: Node): boolean {
  switch (node.type) {
    case "IfStatement":
      walkIf(collector, node);
      return true;
    case "ForStatement":
    case "ForOfStatement":
    case "ForInStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      walkLoop(collector, node);
      return true;
    case "SwitchStatement":
      walkSwitch(collector, node);
      return true;
    case "TryStatement":
      walkTry(collector, node);
      return true;
    case "ReturnStatement":
    case "ThrowStatement":
      collector.walk(node.argument);
      collector.flow.ends = [];
      return true;
    default:
      return false;
  }
}

function walkIf(collector: NodeCollector, node: Extract<Node, { type: "IfStatement" }>): void {
  const { flow } = collector;
  collector.walk(node.test);
  const from = flow.ends;
  const then = flow.branch(from, "then", () => collector.within("if", () => collector.walk(node.consequent)));
  const otherwise = flow.branch(from, "else", () => {
    if (node.alternate !== null) collector.within("else", () => collector.walk(node.alternate));
  });
  flow.join(then, otherwise);
}

function walkLoop(collector: NodeCollector, node: LoopNode): void {
  const { flow } = collector;
  if (node.type === "ForStatement") collector.walk(node.init);
  else if (node.type === "ForOfStatement" || node.type === "ForInStatement") collector.walk(node.right);
  const first = collector.nodes.length;
  const before = flow.ends;
  let tested: readonly End[] = before;
  collector.within(loopPart(node), () => {
    if (node.type === "ForStatement" || node.type === "WhileStatement") {
      collector.walk(node.test);
      tested = flow.ends;
    }
    collector.walk(node.body);
    if (node.type === "DoWhileStatement") collector.walk(node.test);
    if (node.type === "ForStatement") collector.walk(node.update);
  });
  if (collector.nodes.length > first) for (const { from } of flow.ends) flow.connect({ from, label: "loop" }, first);
  if (node.type !== "DoWhileStatement") flow.join(tested, flow.ends);
}

/** `for.item`; the loop is known by what it goes through. */
function loopPart(node: LoopNode): string {
  switch (node.type) {
    case "WhileStatement":
      return "while";
    case "DoWhileStatement":
      return "do";
    default: {
      const head = node.type === "ForStatement" ? node.init : node.left;
      const declared = head?.type === "VariableDeclaration" ? head.declarations[0]?.id : head;
      const name = declared == null ? null : lastName(declared);
      return name === null ? "for" : `for.${name}`;
    }
  }
}

function walkSwitch(collector: NodeCollector, node: Extract<Node, { type: "SwitchStatement" }>): void {
  const { flow } = collector;
  collector.walk(node.discriminant);
  for (const { test } of node.cases) collector.walk(test);
  const from = flow.ends;
  const leaving: (readonly End[])[] = node.cases.some(({ test }) => test === null) ? [] : [from];
  let falling: readonly End[] = [];
  for (const { test, consequent } of node.cases) {
    const part = test === null ? "switch.default" : "switch.case";
    flow.join(from, falling);
    collector.within(part, () => {
      for (const statement of consequent) collector.walk(statement);
    });
    falling = flow.ends;
    if (consequent.some(({ type }) => type === "BreakStatement")) {
      leaving.push(falling);
      falling = [];
    }
  }
  flow.join(...leaving, falling);
}

function walkTry(collector: NodeCollector, node: Extract<Node, { type: "TryStatement" }>): void {
  const { flow, nodes } = collector;
  const first = nodes.length;
  collector.within("try", () => collector.walk(node.block));
  const tried = flow.ends;
  const mayThrow: End[] = nodes.slice(first).map((_, index) => ({ from: first + index }));
  let caught: readonly End[] = [];
  const { handler, finalizer } = node;
  if (handler !== null) {
    caught = flow.branch(mayThrow, "catch", () => collector.within("catch", () => collector.walk(handler)));
  }
  flow.join(tried, caught);
  if (finalizer === null) return;
  if (flow.ends.length === 0 && nodes.length > first) flow.ends = [{ from: nodes.length - 1 }];
  collector.within("finally", () => collector.walk(finalizer));
}
