import { listProgram, validateProgram } from "@cairnjs/ir";
import { expect } from "vitest";
import type { Diagnostic } from "../../src/2-analyze/diagnostic.ts";
import { compile } from "../../src/compile.ts";
import type { SourceHooks } from "../../src/2-analyze/link/modules.ts";

/**
 * What the compiler says about a file. A file without errors must have given valid programs, one with errors none
 * for the workflow that has them.
 */
export function diagnosticsOf(entry: string, hooks: SourceHooks): readonly Diagnostic[] {
  const { workflows, diagnostics } = compile(entry, hooks);
  for (const { program } of workflows) {
    validateProgram(JSON.parse(JSON.stringify(program)));
    expect(listProgram(program)).not.toContain(" ?");
  }
  const hasErrors = diagnostics.some(({ severity }) => severity === "error");
  if (!hasErrors && workflows.length === 0) throw new Error(`${entry}: neither a program nor an error`);
  return diagnostics;
}
