import type { Node } from "oxc-parser";
import type { NodeCollector } from "./collect.ts";
import { walkCondition } from "./conditions.ts";
import type { End } from "./flow.ts";
import { landingOn, type Target } from "./jumps.ts";
import { lastName } from "./names.ts";

export type LoopNode = Extract<
  Node,
  { type: "ForStatement" | "ForOfStatement" | "ForInStatement" | "WhileStatement" | "DoWhileStatement" }
>;

export function walkLoop(collector: NodeCollector, node: LoopNode, labels: readonly string[]): void {
  const { flow } = collector;
  if (node.type === "ForStatement") collector.walk(node.init);
  else if (node.type === "ForOfStatement" || node.type === "ForInStatement") collector.walk(node.right);
  const target = { labels, isPlain: true, breaks: [] as End[], continues: [] as End[] };
  const head = flow.startLoop();
  const outer = collector.enter(loopPart(node));
  const { again, left } = walkIteration(collector, node, target);
  collector.leave(outer);
  flow.endLoop(head, again);
  flow.join(left, target.breaks);
}

/** From the head on: the ends that lead back to it, and those where the loop is over. */
function walkIteration(
  collector: NodeCollector,
  node: LoopNode,
  target: Target & { readonly continues: readonly End[] },
): { readonly again: readonly End[]; readonly left: readonly End[] } {
  const { flow } = collector;
  const walkBody = (): void => {
    collector.jumps.within(landingOn(target), () => collector.walk(node.body));
    flow.join(flow.ends, target.continues);
  };
  switch (node.type) {
    case "DoWhileStatement": {
      walkBody();
      const { held, failed } = walkCondition(collector, node.test);
      return { again: held, left: failed };
    }
    case "WhileStatement":
    case "ForStatement": {
      const { held, failed } = walkCondition(collector, node.test);
      flow.ends = held;
      walkBody();
      if (node.type === "ForStatement") collector.walk(node.update);
      return { again: flow.ends, left: failed };
    }
    default: {
      const left = flow.ends;
      collector.walk(node.left);
      walkBody();
      return { again: flow.ends, left };
    }
  }
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
