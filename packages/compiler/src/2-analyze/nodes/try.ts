import type { Node } from "oxc-parser";
import type { NodeCollector } from "./collect.ts";
import type { End } from "./flow.ts";
import type { Jump } from "./jumps.ts";

type TryNode = Extract<Node, { type: "TryStatement" }>;

/**
 * All that leaves the block, by its end, a jump or an error, goes through `finally` and then on to where it was
 * going. With no node in `finally` each keeps its way; with one, the ways have met there.
 */
export function walkTry(collector: NodeCollector, node: TryNode): void {
  const { flow, jumps, nodes } = collector;
  const { finalizer } = node;
  if (finalizer === null) return walkGuarded(collector, node);
  const waiting = new Map<string, { readonly jump: Jump; readonly ends: End[] }>();
  const gather = (jump: Jump): End[] => {
    const key = "label" in jump ? `${jump.kind} ${jump.label}` : jump.kind;
    const entry = waiting.get(key) ?? { jump, ends: [] };
    waiting.set(key, entry);
    return entry.ends;
  };
  const first = flow.place.failing.length;
  jumps.within(gather, () => walkGuarded(collector, node));
  const through = flow.ends;
  const failing = flow.place.failing.slice(first);
  const failed = failing.map((from) => ({ from, label: "throw" }));
  const interrupted = [...waiting.values()].filter(({ ends }) => ends.length > 0);
  flow.join(through, ...interrupted.map(({ ends }) => ends), failed);
  const count = nodes.length;
  collector.within("finally", finalizer);
  const after = flow.ends;
  if (nodes.length > count) {
    // An error goes on from the last node it has passed.
    const passed = failing.filter((node) => after.some(({ from }) => from === node));
    flow.place.failing.splice(first, failing.length, ...passed);
  }
  const hasMet = nodes.length > count || after.length === 0;
  for (const { jump, ends } of interrupted) {
    flow.ends = hasMet ? after : ends;
    jumps.jump(jump);
  }
  flow.ends = hasMet ? after : through;
  if (through.length > 0) return;
  // Only errors have come here: they go on.
  if (interrupted.length === 0 && nodes.length > count) jumps.jump({ kind: "throw" });
  flow.ends = [];
}

function walkGuarded(collector: NodeCollector, { block, handler }: TryNode): void {
  const { flow, jumps } = collector;
  if (handler === null) return collector.within("try", block);
  const before = flow.ends;
  const thrown: End[] = [];
  const first = flow.place.failing.length;
  const landing = (jump: Jump): End[] | null => (jump.kind === "throw" ? thrown : null);
  jumps.within(landing, () => collector.within("try", block));
  const tried = flow.ends;
  const failing = new Set<End["from"]>(flow.place.failing.splice(first));
  const caught = [...[...failing].map((from) => ({ from })), ...thrown.filter(({ from }) => !failing.has(from))];
  // With no node in the block, what it throws comes from the code between.
  flow.branch(caught.length === 0 ? before : caught, "catch");
  collector.within("catch", handler);
  flow.join(tried, flow.ends);
}
