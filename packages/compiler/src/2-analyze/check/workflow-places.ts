import type { CallExpression, Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { erase, isTypeOnly } from "../../1-parse/erase.ts";
import { report, type DiagnosticSink } from "../diagnostic.ts";
import { staticString } from "../link/static-value.ts";
import { initialisers } from "../link/workflows.ts";
import { resolutionOf, type NameContext } from "./context.ts";
import { bare, isFunction } from "./shape.ts";

/**
 * Every `workflow(…)` of a module that is no constant at its top level: it works as a function, and would only be
 * missed when it is to be served. In a function, as tests have them, that may be all that is wanted.
 */
export function checkWorkflowPlaces(place: NameContext & DiagnosticSink): void {
  const { body } = place.module.program;
  const compiled = new Set<Node>([...initialisers(body)].map(({ init }) => erase(init)));
  const visit = (node: Node, isInFunction: boolean): void => {
    // The block of a namespace is no type, though nothing in it can be compiled.
    if (isTypeOnly(node) && node.type !== "TSModuleBlock") return;
    if (node.type === "CallExpression" && !compiled.has(node) && isWorkflowCall(node, place)) {
      reportPlace(node, isInFunction, place);
    }
    const isInside = isInFunction || isFunction(node);
    for (const child of children(node)) visit(child, isInside);
  };
  visit(place.module.program, false);
}

function isWorkflowCall(call: CallExpression, place: NameContext): boolean {
  const resolution = resolutionOf(bare(call.callee), place);
  return resolution?.kind === "primitive" && resolution.name === "workflow";
}

function reportPlace(call: CallExpression, isInFunction: boolean, place: NameContext & DiagnosticSink): void {
  // One in a body has been refused already, with a better reason.
  if (place.diagnostics.hasErrorWithin(place.module.id, call.callee)) return;
  const [written] = call.arguments;
  const name = written === undefined ? null : staticString(written, place.module, place.names);
  report(place, isInFunction ? "CAIRN5015" : "CAIRN5014", call.callee, { name: name ?? "(unnamed)" });
}
