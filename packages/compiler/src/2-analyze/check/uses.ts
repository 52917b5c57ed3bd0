import type { Node } from "oxc-parser";
import type { Diagnostic } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import type { Unit } from "../resolution.ts";

/** Says of what was met while a workflow was checked where its body leads to it; what is in the body needs no word. */
export function attributeTo({ name, units }: LinkedWorkflow, diagnostics: DiagnosticList): void {
  diagnostics.attribute((diagnostic) => {
    const use = units.find((unit) => holds(unit, diagnostic))?.usedAt ?? null;
    if (use === null) return null;
    const { module, node } = use;
    return { workflow: name, file: module.id, source: module.source, start: node.start };
  });
}

function holds(unit: Unit, { file, start, end }: Diagnostic): boolean {
  return unit.module.id === file && nodesOf(unit).some((node) => node.start <= start && end <= node.end);
}

/** An enum may be declared in several parts. */
export function nodesOf({ node, global }: Unit): readonly Node[] {
  return global?.declaration.kind === "enum" ? global.declaration.nodes : [node];
}
