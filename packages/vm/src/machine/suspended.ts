import type { Reaction, VPromise } from "../heap/promise.ts";
import type { Machine } from "./machine.ts";

/** Names of the async functions that still wait, directly or through other promises, for an open call. */
export function suspendedFunctions(machine: Machine): string[] {
  const names: string[] = [];
  const seen = new Set<VPromise>();
  const queue: VPromise[] = [];
  const visit = (promise: VPromise | null): void => {
    if (promise === null || seen.has(promise)) return;
    seen.add(promise);
    queue.push(promise);
  };
  for (const { promise } of machine.open.values()) visit(promise);
  for (let index = 0; index < queue.length; index++) {
    for (const reaction of queue[index]!.reactions) {
      if (reaction.kind === "await") names.push(reaction.frame.unit.meta.name);
      visit(settledBy(reaction));
    }
  }
  return names;
}

/** The promise that a reaction leads to. */
export function settledBy(reaction: Reaction): VPromise | null {
  switch (reaction.kind) {
    case "await":
      return reaction.frame.promise;
    case "then":
      return reaction.derived;
    case "pass":
      return reaction.resolvers.promise;
    case "element":
      return reaction.combinator.promise;
  }
}
