import { messages, type Code } from "../messages/table.ts";

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
}

/** Where problems of one module are collected. Several modules of a compilation share one list. */
export interface DiagnosticSink {
  readonly file: string;
  readonly source: string;
  readonly diagnostics: Diagnostic[];
}

/**
 * Adds a diagnostic for the source range of `node`. The values fill the placeholders of the message and hint;
 * the compiler of the compiler checks that none is missing. A helper that two workflows reach is checked once
 * for each, so an equal diagnostic at the same place is kept only once.
 */
export function report<C extends Code>(
  sink: DiagnosticSink,
  code: C,
  node: { readonly start: number; readonly end: number },
  ...[values]: ReportValues<C>
): void {
  const { severity, message, hint } = messages[code];
  const text = fill(message, values);
  const { start, end } = node;
  const same = (other: Diagnostic): boolean =>
    other.code === code && other.file === sink.file && other.start === start && other.message === text;
  if (sink.diagnostics.some(same)) return;
  const { line, column } = positionAt(sink.source, start);
  const hintText = fill(hint, values);
  sink.diagnostics.push({ code, severity, file: sink.file, line, column, start, end, message: text, hint: hintText });
}

type ReportValues<C extends Code> = [Placeholder<C>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholder<C>, string | number>>];

type Placeholder<C extends Code> = (typeof messages)[C]["values"][number];

function fill(template: string, values: Readonly<Record<string, string | number>> | undefined): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values?.[name]));
}

/** Errors before warnings is not wanted: a reader goes through a file from top to bottom. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) => compareText(a.file, b.file) || a.start - b.start || b.end - a.end || compareText(a.code, b.code),
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/** Line and column, both from 1, of an offset in the source. */
export function positionAt(source: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (const match of source.matchAll(LINE_BREAK)) {
    const next = match.index + match[0].length;
    if (next > offset) break;
    line += 1;
    lineStart = next;
  }
  return { line, column: offset - lineStart + 1 };
}

/** The diagnostic with its place, code frame and hint, as a terminal shows it. */
export function renderDiagnostic(diagnostic: Diagnostic, source: string): string {
  const { severity, code, file, line, column, message, hint } = diagnostic;
  return `${severity} ${code}: ${message}\n  at ${file}:${line}:${column}\n${codeFrame(source, diagnostic)}\n  ${hint}`;
}

const FRAME_LINES_AROUND = 2;
/** Generated or minified lines would fill the screen. */
const FRAME_COLUMNS_MAX = 120;

/** The lines around a source range, numbered, with the range underlined. */
export function codeFrame(source: string, range: { readonly start: number; readonly end: number }): string {
  const lines = source.split(LINE_BREAK);
  const from = positionAt(source, range.start);
  const to = positionAt(source, Math.max(range.start, range.end));
  const first = Math.max(1, from.line - FRAME_LINES_AROUND);
  const last = Math.min(lines.length, from.line + FRAME_LINES_AROUND);
  const gutter = String(last).length;
  const skip = Math.max(0, from.column - Math.floor(FRAME_COLUMNS_MAX / 2));
  const output: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = lines[number - 1] ?? "";
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
