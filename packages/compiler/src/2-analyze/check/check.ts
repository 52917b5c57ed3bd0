import type { Node } from "oxc-parser";
import { report, type Diagnostic } from "../diagnostic.ts";
import type { Module } from "../link/module.ts";
import type { Names, Unit } from "../resolution.ts";
import { checkCircles } from "./circles.ts";
import { sinkOf, type ConstantUse } from "./context.ts";
import { checkBodyUnit, checkDeclarations } from "./declarations.ts";
import { checkMutations } from "./mutations.ts";
import { walk } from "./walk.ts";

/** What the parser refused. A module with such problems has no tree to rely on, so nothing else is checked. */
export function checkSyntax(module: Pick<Module, "id" | "source" | "problems">, diagnostics: Diagnostic[]): boolean {
  const sink = { file: module.id, source: module.source, diagnostics };
  for (const problem of module.problems) {
    if (problem.message.includes("'with' statements")) report(sink, "CAIRN1012", problem);
    else if (problem.message.startsWith("Delete of an unqualified identifier")) report(sink, "CAIRN1025", problem);
    else report(sink, "CAIRN1001", problem, { problem: problem.message.replace(/\.$/, "") });
  }
  return module.problems.length === 0;
}

/** The actions, workflows and signals that the compiled module declares. */
export function checkModule(module: Module, names: Names, diagnostics: Diagnostic[]): void {
  checkDeclarations(module, names, diagnostics);
}

/** Everything that one workflow consists of: its body and all it can reach, dead code included. */
export function checkUnits(units: readonly Unit[], names: Names, diagnostics: Diagnostic[]): void {
  const shared = { stepNames: new Map<string, Node>(), settled: new Set<Node>(), uses: [] as ConstantUse[] };
  for (const unit of units) {
    const { module } = unit;
    if (!checkSyntax(module, diagnostics)) continue;
    if (unit.role === "body") checkBodyUnit(unit, names, diagnostics);
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
