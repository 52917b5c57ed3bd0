import type { Diagnostic } from "@cairnjs/compiler";
import type { EncodedReport, EncodedStep } from "cairnjs/testing/internal";
import { shortPath } from "./output.ts";

/** `{ file, result | error, steps }`; values stand in it as they are encoded, each by itself. */
export function reportLine(file: string, report: EncodedReport): string {
  return `{"file":${JSON.stringify(file)}${outcome(report)},"steps":[${report.steps.map(stepText).join(",")}]}`;
}

export function errorLine(file: string, error: string): string {
  return reportLine(file, { error, steps: [], trace: [], logs: [], events: [] });
}

export function diagnosticsLine(file: string, diagnostics: readonly Diagnostic[]): string {
  const shown = diagnostics.map((diagnostic) => ({ ...diagnostic, file: shortPath(diagnostic.file) }));
  return JSON.stringify({ file, diagnostics: shown });
}

function stepText(step: EncodedStep): string {
  const { node, action, args } = step;
  return `{"node":${JSON.stringify(node)},"action":${JSON.stringify(action)},"args":${args}${outcome(step)}}`;
}

function outcome({ result, error }: { readonly result?: string; readonly error?: string }): string {
  if (result !== undefined) return `,"result":${result}`;
  return error === undefined ? "" : `,"error":${error}`;
}
