import { type Diagnostic, docsUrl, positionAt } from "@cairnjs/compiler";
import { counted } from "../output/counted.ts";
import { tellDiagnostics, tellExplanation, withShortPath } from "../output/diagnostics.ts";
import { type Output, shortPath } from "../output/output.ts";
import type { Findings } from "./findings.ts";

interface Shown {
  readonly quiet: boolean;
  readonly sourceOf: (path: string) => string;
}

/** What people read: code frames, then one line that sums them up. */
export function reportText(findings: Findings, { quiet, sourceOf }: Shown, output: Output): void {
  const { diagnostics, unreadable, skipped, errors } = findings;
  const shown = visible(diagnostics, quiet);
  tellDiagnostics(output, shown, sourceOf);
  for (const { path, reason } of unreadable) output.problem(`${shortPath(path)} cannot be read: ${reason}`);
  for (const path of quiet ? [] : skipped) {
    output.problem(`${shortPath(path)} is too long to be written by hand and is left out; name it to have it checked`);
  }
  if (quiet && errors === 0) return;
  const style = errors > 0 ? "red" : findings.warnings > 0 ? "yellow" : "green";
  output.line(output.paint(["bold", style], summary(findings)));
  tellExplanation(output, shown);
}

/** `3 errors, 1 warning in 2 of 14 files, 21 workflows`. */
function summary({ diagnostics, errors, warnings, files, workflows }: Findings): string {
  const where = `${counted(files, "file")}, ${counted(workflows, "workflow")}`;
  if (diagnostics.length === 0) return `no problems in ${where}`;
  const counts = [errors === 0 ? "" : counted(errors, "error"), warnings === 0 ? "" : counted(warnings, "warning")];
  const affected = new Set(diagnostics.map(({ file }) => file)).size;
  return `${counts.filter((text) => text !== "").join(", ")} in ${affected} of ${where}`;
}

/** What programs read: one line for each check. */
export function reportJson(findings: Findings, { quiet, sourceOf }: Shown, output: Output): void {
  const { errors, warnings, files, workflows, unreadable, skipped } = findings;
  const document = {
    errors,
    warnings,
    files,
    workflows,
    diagnostics: visible(findings.diagnostics, quiet).map((each) => asJson(each, sourceOf(each.file))),
    unreadable: unreadable.map(({ path, reason }) => ({ file: shortPath(path), reason })),
    skipped: skipped.map((path) => shortPath(path)),
  };
  output.line(JSON.stringify(document));
}

function asJson(diagnostic: Diagnostic, source: string): object {
  const { code, severity, file, line, column, end, message, hint, usedBy } = diagnostic;
  const last = positionAt(source, end);
  const place = { file: shortPath(file), line, column, endLine: last.line, endColumn: last.column };
  return { code, severity, ...place, message, hint, usedBy: withShortPath(usedBy), url: docsUrl(code) };
}

function visible(diagnostics: readonly Diagnostic[], quiet: boolean): readonly Diagnostic[] {
  return quiet ? diagnostics.filter(({ severity }) => severity === "error") : diagnostics;
}
