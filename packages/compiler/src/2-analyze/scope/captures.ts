import type { Node } from "oxc-parser";
import type { Binding, Frame, Reference } from "./binding.ts";
import type { ModuleScopes } from "./module-scopes.ts";
import { referencesIn } from "./source-range.ts";

/**
 * Marks the variables of a piece of code that closures in it use. The arrow of a `step` is no closure: what it
 * uses is read where the step is called.
 */
export function markCaptures(scopes: ModuleScopes, code: Node, isStepArrow: (node: Node) => boolean): void {
  for (const reference of referencesIn(scopes.localReferences, code)) {
    const { binding } = reference;
    if (binding !== null && usingFrame(reference, binding, isStepArrow) !== binding.scope.frame)
      binding.captured = true;
  }
}

/** Variables declared outside an arrow that it uses, in order of first use. What is only declared has no value to take. */
export function freeVariables(scopes: ModuleScopes, arrow: Node): Binding[] {
  const found = new Set<Binding>();
  for (const { binding } of referencesIn(scopes.localReferences, arrow)) {
    if (binding === null) continue;
    const { start, end } = binding.scope.node;
    const isInside = start >= arrow.start && end <= arrow.end;
    if (!isInside && binding.kind !== "this" && binding.kind !== "ambient") found.add(binding);
  }
  return [...found];
}

/** The frame that reads the variable: the reference's own, or the one that calls the outermost step around it. */
function usingFrame(reference: Reference, binding: Binding, isStepArrow: (node: Node) => boolean): Frame {
  let using = reference.scope.frame;
  for (let frame = using; frame !== binding.scope.frame && frame.parent !== null; frame = frame.parent) {
    if (isStepArrow(frame.node)) using = frame.parent;
  }
  return using;
}
