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

/** The links of an `else if` chain stand beside each other, in `else.if`: a chain may be long. */
function walkIf(collector: NodeCollector, first: Extract<Node, { type: "IfStatement" }>): void {
  const { flow } = collector;
  const leaving: (readonly End[])[] = [];
  let node: Node | null = first;
  while (node?.type === "IfStatement") {
    if (node === first) collector.walk(node.test);
    else collector.within("else", node.test);
    const from = flow.ends;
    flow.branch(from, "then");
    collector.within(node === first ? "if" : "else.if", node.consequent);
    leaving.push(flow.ends);
    flow.branch(from, "else");
    node = node.alternate;
  }
  if (node !== null) collector.within("else", node);
  flow.join(...leaving, flow.ends);
}

function walkLoop(collector: NodeCollector, node: LoopNode): void {
  const { flow } = collector;
  if (node.type === "ForStatement") collector.walk(node.init);
  else if (node.type === "ForOfStatement" || node.type === "ForInStatement") collector.walk(node.right);
  const first = collector.nodes.length;
  const before = flow.ends;
  let tested: readonly End[] = before;
  const outer = collector.enter(loopPart(node));
  if (node.type === "ForStatement" || node.type === "WhileStatement") {
    collector.walk(node.test);
    tested = flow.ends;
  } else if (node.type === "ForOfStatement" || node.type === "ForInStatement") {
    collector.walk(node.left);
  }
  collector.walk(node.body);
  if (node.type === "DoWhileStatement") collector.walk(node.test);
  if (node.type === "ForStatement") collector.walk(node.update);
  collector.leave(outer);
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
    flow.join(from, falling);
    const outer = collector.enter(test === null ? "switch.default" : "switch.case");
    for (const statement of consequent) collector.walk(statement);
    collector.leave(outer);
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
  collector.within("try", node.block);
  const tried = flow.ends;
  const mayThrow: End[] = nodes.slice(first).map((_, index) => ({ from: first + index }));
  let caught: readonly End[] = [];
  const { handler, finalizer } = node;
  if (handler !== null) {
    flow.branch(mayThrow, "catch");
    collector.within("catch", handler);
    caught = flow.ends;
  }
  flow.join(tried, caught);
  if (finalizer === null) return;
  if (flow.ends.length === 0 && nodes.length > first) flow.ends = [{ from: nodes.length - 1 }];
  collector.within("finally", finalizer);
}
