import type { Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isTypeOnly } from "../../1-parse/erase.ts";
import { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";
import type { Names } from "../resolution.ts";
import { sinkOf, type CheckContext, type NodeOf } from "./context.ts";
import { bare } from "./shape.ts";
import { isStep, stepVisitors } from "./steps.ts";

/** A `step(…)` whose arrow can be lifted out of the function it stands in. */
export interface StepPlace {
  /** The arrow. */
  readonly start: number;
  readonly end: number;
  readonly captures: readonly string[];
  /** Behind the last argument, and behind the closing parenthesis. */
  readonly argumentEnd: number;
  readonly callEnd: number;
}

/**
 * All steps of a module in the order of its text. Which workflow reaches them is not asked: a module of helpers is
 * transformed before anybody knows who calls them. Steps that no workflow may contain are left as they are.
 */
export function stepPlaces(module: Module, names: Names): StepPlace[] {
  const found: StepPlace[] = [];
  const visit = (node: Node): void => {
    const place = node.type === "CallExpression" ? placeOf(node, module, names) : null;
    if (place !== null) found.push(place);
    for (const child of children(node)) if (!isTypeOnly(child)) visit(child);
  };
  visit(module.program);
  return found;
}

function placeOf(call: NodeOf<"CallExpression">, module: Module, names: Names): StepPlace | null {
  const diagnostics = new DiagnosticList();
  const context: CheckContext = {
    module,
    names,
    ...sinkOf(module, diagnostics),
    unit: { role: "helper", name: "", module, node: module.program, global: null, usedAt: null },
    evaluated: null,
    settled: new Set(),
    uses: [],
    stepNames: new Map(),
  };
  if (!isStep(bare(call.callee), context)) return null;
  stepVisitors.CallExpression?.(call, context);
  const last = call.arguments.at(-1);
  if (diagnostics.errorsMet > 0 || last === undefined) return null;
  const { start, end } = bare(last);
  const captures = names.stepCaptures(module, bare(last)).map(({ name }) => name);
  return { start, end, captures, argumentEnd: last.end, callEnd: call.end };
}
