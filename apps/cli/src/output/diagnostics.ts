import { type Diagnostic, renderDiagnostic, type WorkflowUse } from "@cairnjs/compiler";
import { type Output, shortPath } from "./output.ts";

/** Apart from `Output`: commands that compile nothing are not to load the compiler. */
export function tellDiagnostics(
  output: Output,
  diagnostics: readonly Diagnostic[],
  sourceOf: (file: string) => string,
): void {
  for (const diagnostic of diagnostics) {
    const { file, usedBy } = diagnostic;
    const shown = { ...diagnostic, file: shortPath(file), usedBy: withShortPath(usedBy) };
    const [head = "", ...rest] = renderDiagnostic(shown, sourceOf(file)).split("\n");
    output.line(output.paint(diagnostic.severity === "error" ? ["bold", "red"] : ["bold", "yellow"], head));
    output.line(`${rest.join("\n")}\n`);
  }
}

/** Where the page of a diagnostic is. */
export function tellExplanation(output: Output, [first]: readonly Diagnostic[]): void {
  if (first !== undefined) output.line(output.paint("dim", `cairn explain ${first.code} says more about a code`));
}

export function withShortPath(use: WorkflowUse | null): WorkflowUse | null {
  return use === null ? null : { ...use, file: shortPath(use.file) };
}
