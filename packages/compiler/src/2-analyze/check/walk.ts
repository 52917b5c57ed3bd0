import type { Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isTypeOnly } from "../../1-parse/erase.ts";
import { report } from "../diagnostic.ts";
import { dispositionOf } from "./accepted.ts";
import { awaitedVisitors } from "./awaited.ts";
import { awaitVisitors } from "./awaits.ts";
import { builtinVisitors } from "./builtins.ts";
import { callbackVisitors } from "./callbacks.ts";
import { callArgumentVisitors } from "./call-arguments.ts";
import { classVisitors } from "./classes.ts";
import { compensationVisitors } from "./compensations.ts";
import { constantVisitors, isStoredFunction } from "./constants.ts";
import type { CheckContext, Visitors } from "./context.ts";
import { discardVisitors } from "./discards.ts";
import { durationVisitors } from "./durations.ts";
import { enumVisitors } from "./enums.ts";
import { expressionVisitors } from "./expressions.ts";
import { functionVisitors } from "./functions.ts";
import { memberNameVisitors } from "./member-names.ts";
import { moduleVariableVisitors } from "./module-variables.ts";
import { nameVisitors } from "./names.ts";
import { objectVisitors } from "./objects.ts";
import { optionVisitors } from "./options.ts";
import { statementVisitors } from "./statements.ts";
import { stepVisitors } from "./steps.ts";
import { thisVisitors } from "./this.ts";

/** In order: one that answers `skip` spares the reader what the later ones would say about the same place. */
const concerns: readonly Visitors[] = [
  constantVisitors,
  stepVisitors,
  classVisitors,
  enumVisitors,
  statementVisitors,
  functionVisitors,
  objectVisitors,
  thisVisitors,
  expressionVisitors,
  moduleVariableVisitors,
  nameVisitors,
  memberNameVisitors,
  builtinVisitors,
  awaitVisitors,
  awaitedVisitors,
  discardVisitors,
  callbackVisitors,
  durationVisitors,
  optionVisitors,
  compensationVisitors,
  callArgumentVisitors,
];

type AnyVisitor = (node: Node, context: CheckContext) => "skip" | void;

const visitorsByType: ReadonlyMap<string, readonly AnyVisitor[]> = mergeVisitors();

/** Every node of a unit, dead code included, outermost first. */
export function walk(node: Node, context: CheckContext): void {
  if (isTypeOnly(node) || context.settled.has(node)) return;
  if (node !== context.unit.node && context.names.isOpaque(context.module, node)) return;
  const disposition = dispositionOf(node);
  if (disposition === "outside") {
    report(context, "CAIRN1002", node, { kind: node.type });
    return;
  }
  for (const visit of visitorsByType.get(node.type) ?? []) {
    if (visit(node, context) === "skip") return;
  }
  if (disposition === "closed") return;
  const inner = isStoredFunction(node, context) ? { ...context, evaluated: null } : context;
  for (const child of children(node)) walk(child, inner);
}

function mergeVisitors(): Map<string, AnyVisitor[]> {
  const merged = new Map<string, AnyVisitor[]>();
  for (const visitors of concerns) {
    for (const [type, visit] of Object.entries(visitors)) {
      const list = merged.get(type) ?? [];
      list.push(visit as AnyVisitor);
      merged.set(type, list);
    }
  }
  return merged;
}
