import type { Node } from "oxc-parser";
import type { Binding, Reference } from "./binding.ts";

/** The references that stand inside a node, of a list in order of the source. */
export function* referencesIn(all: readonly Reference[], { start, end }: Node): Generator<Reference> {
  const first = firstIndex(all.length, (index) => (all[index]?.node.start ?? start) >= start);
  for (let index = first; index < all.length; index += 1) {
    const reference = all[index];
    if (reference === undefined || reference.node.start >= end) return;
    yield reference;
  }
}

/** Whether code inside the node writes the variable. */
export function isWrittenIn({ writes }: Binding, { start, end }: Node): boolean {
  const first = firstIndex(writes.length, (index) => (writes[index] ?? start) >= start);
  const offset = writes[first];
  return offset !== undefined && offset < end;
}

/** By halving: a variable may have as many uses as a body has lines, and each use asks. */
function firstIndex(length: number, isAtOrAfter: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAtOrAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
