import { messages, type Code } from "../messages/table.ts";
import type { DiagnosticList } from "./diagnostic-list.ts";
import { LineTable } from "./line-table.ts";

/** One problem in the source, as data; `renderDiagnostic` makes it readable. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: "error" | "warning";
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units as editors count them. */
  readonly column: number;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
  /** For code that is a problem only because a workflow uses it: a helper, a module-level constant. */
  readonly usedBy: WorkflowUse | null;
}

/** The first workflow that uses a piece of code. */
export interface WorkflowUse {
  readonly workflow: string;
  /** Where the name stands in its body that leads there, perhaps through other helpers. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** How many other workflows use it too. */
  readonly others: number;
}

/** Where problems of one module are collected. Several modules of a compilation share one list. */
export interface DiagnosticSink {
  readonly file: string;
  readonly source: string;
  readonly diagnostics: DiagnosticList;
}

/**
 * Adds a diagnostic for the source range of `node`. The values fill the placeholders of the message and hint;
 * the compiler of the compiler checks that none is missing.
 */
export function report<C extends Code>(
  sink: DiagnosticSink,
  code: C,
  node: { readonly start: number; readonly end: number },
  ...[values]: ReportValues<C>
): void {
  const { severity, message, hint } = messages[code];
  const { file, source } = sink;
  const { start, end } = node;
  const texts = { message: fill(message, values), hint: fill(hint, values) };
  sink.diagnostics.add({ code, severity, file, start, end, ...texts }, source);
}

type ReportValues<C extends Code> = [Placeholder<C>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholder<C>, string | number>>];

type Placeholder<C extends Code> = (typeof messages)[C]["values"][number];

function fill(template: string, values: Readonly<Record<string, string | number>> | undefined): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values?.[name]));
}

/** Line and column, both from 1, of an offset in the source. */
export function positionAt(source: string, offset: number): { line: number; column: number } {
  return new LineTable(source).positionAt(offset);
}

/** The diagnostic with its place, code frame and hint, as a terminal shows it. */
export function renderDiagnostic(diagnostic: Diagnostic, source: string): string {
  const { severity, code, file, line, column, message, hint, usedBy } = diagnostic;
  const used = usedBy === null ? "" : `\n  ${usedByText(usedBy)}`;
  const place = `at ${file}:${line}:${column}${used}`;
  return `${severity} ${code}: ${message}\n  ${place}\n${codeFrame(source, diagnostic)}\n  ${hint}`;
}

export function usedByText({ workflow, file, line, column, others }: WorkflowUse): string {
  const more = others === 0 ? "" : `, and by ${others} more`;
  return `used by workflow \`${workflow}\` at ${file}:${line}:${column}${more}`;
}

const FRAME_LINES_AROUND = 2;
/** Generated or minified lines would fill the screen. */
const FRAME_COLUMNS_MAX = 120;

/** The lines around a source range, numbered, with the range underlined. */
export function codeFrame(source: string, range: { readonly start: number; readonly end: number }): string {
  const lines = new LineTable(source);
  const from = lines.positionAt(range.start);
  const to = lines.positionAt(Math.max(range.start, range.end));
  const first = Math.max(1, from.line - FRAME_LINES_AROUND);
  const last = Math.min(lines.count, from.line + FRAME_LINES_AROUND);
  const gutter = String(last).length;
  const isWide = lines.textOf(from.line).length > FRAME_COLUMNS_MAX;
  const skip = isWide ? Math.max(0, from.column - Math.floor(FRAME_COLUMNS_MAX / 2)) : 0;
  const output: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = lines.textOf(number);
    const marker = number === from.line ? ">" : " ";
    const shown = text.slice(skip, skip + FRAME_COLUMNS_MAX);
    output.push(`${marker} ${String(number).padStart(gutter)} | ${shown}`.trimEnd());
    if (number !== from.line) continue;
    const endColumn = to.line === from.line ? to.column : text.length + 1;
    const visibleEnd = Math.min(endColumn - 1 - skip, FRAME_COLUMNS_MAX);
    const before = shown.slice(0, from.column - 1 - skip).replaceAll(/[^\t]/g, " ");
    const carets = "^".repeat(Math.max(1, visibleEnd - before.length));
    output.push(`  ${" ".repeat(gutter)} | ${before}${carets}`);
  }
  return output.join("\n");
}
