import { TOO_DEEP } from "../../1-parse/parse.ts";
import { report } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";

/** What the parser refused. A module with such problems has no tree to rely on, so nothing else is checked. */
export function checkSyntax(module: Pick<Module, "id" | "source" | "problems">, diagnostics: DiagnosticList): boolean {
  const sink = { file: module.id, source: module.source, diagnostics };
  for (const problem of module.problems) {
    if (problem.message === TOO_DEEP) report(sink, "CAIRN1028", problem, { problem: TOO_DEEP });
    else if (problem.message.includes("'with' statements")) report(sink, "CAIRN1012", problem);
    else if (problem.message.startsWith("Delete of an unqualified identifier")) report(sink, "CAIRN1025", problem);
    else report(sink, "CAIRN1001", problem, { problem: problem.message.replace(/\.$/, "") });
  }
  return module.problems.length === 0;
}
