import type { Node } from "oxc-parser";
import { report } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import type { Names, Unit } from "../resolution.ts";
import { checkCircles } from "./circles.ts";
import { sinkOf, type ConstantUse } from "./context.ts";
import { checkDeclarations, checkDurableDeclaration } from "./declarations.ts";
import { checkMutations } from "./mutations.ts";
import { walk } from "./walk.ts";

/** What the parser refused. A module with such problems has no tree to rely on, so nothing else is checked. */
export function checkSyntax(module: Pick<Module, "id" | "source" | "problems">, diagnostics: DiagnosticList): boolean {
  const sink = { file: module.id, source: module.source, diagnostics };
  for (const problem of module.problems) {
    if (problem.message.includes("'with' statements")) report(sink, "CAIRN1012", problem);
    else if (problem.message.startsWith("Delete of an unqualified identifier")) report(sink, "CAIRN1025", problem);
    else report(sink, "CAIRN1001", problem, { problem: problem.message.replace(/\.$/, "") });
  }
  return module.problems.length === 0;
}

/** The actions, workflows and signals that the compiled module declares. */
export function checkModule(module: Module, names: Names, diagnostics: DiagnosticList): void {
  checkDeclarations(module, names, diagnostics);
}

/** Everything that one workflow consists of: `workflow(…)`, the body and all it can reach, dead code included. */
export function checkWorkflow(
  { call, module, units }: LinkedWorkflow,
  names: Names,
  diagnostics: DiagnosticList,
): void {
  checkDurableDeclaration(call, module, { module, names, ...sinkOf(module, diagnostics) });
  checkUnits(units, names, diagnostics);
}

function checkUnits(units: readonly Unit[], names: Names, diagnostics: DiagnosticList): void {
  const shared = { stepNames: new Map<string, Node>(), settled: new Set<Node>(), uses: [] as ConstantUse[] };
  for (const unit of units) {
    const { module } = unit;
    if (!checkSyntax(module, diagnostics)) continue;
    const evaluated = unit.role === "constant" ? (unit.global?.name ?? unit.name) : null;
    for (const node of nodesOf(unit)) {
      walk(node, { ...sinkOf(module, diagnostics), module, names, unit: { ...unit, node }, evaluated, ...shared });
    }
  }
  checkCircles(shared.uses);
  checkMutations(units, names, diagnostics);
}

/** An enum may be declared in several parts. */
function nodesOf({ node, global }: Unit): readonly Node[] {
  return global?.declaration.kind === "enum" ? global.declaration.nodes : [node];
}
