import type { Diagnostic, WorkflowUse } from "./diagnostic.ts";
import { LineTable } from "./line-table.ts";

/** A problem whose place in lines is not known yet, nor who uses the code. */
type NewDiagnostic = Omit<Diagnostic, "line" | "column" | "usedBy">;

/** Where a workflow leads to a piece of code that it uses. */
interface UsePlace {
  readonly workflow: string;
  readonly file: string;
  readonly source: string;
  readonly start: number;
}

/** The problems of one compilation, in all its modules, each once however often it is met. */
export class DiagnosticList {
  readonly #found = new Map<string, Diagnostic>();
  readonly #lines = new Map<string, LineTable>();
  /** Those of which somebody else than a workflow that uses the code has said that they are problems. */
  readonly #own = new Set<string>();
  #met = new Set<string>();
  #errorsMet = 0;

  /** A helper that two workflows reach is checked for each: the second time is counted, not kept. */
  add(diagnostic: NewDiagnostic, source: string): void {
    const { code, severity, file, start, end, message, hint } = diagnostic;
    if (severity === "error") this.#errorsMet += 1;
    const key = `${code}\n${start}\n${file}\n${message}`;
    this.#met.add(key);
    if (this.#found.has(key)) return;
    const { line, column } = this.#linesOf(file, source).positionAt(start);
    this.#found.set(key, { code, severity, file, line, column, start, end, message, hint, usedBy: null });
  }

  /**
   * Says of all that was met since the last call which use makes it a problem; null where it would be one without any
   * workflow that uses it.
   */
  attribute(useOf: (diagnostic: Diagnostic) => UsePlace | null): void {
    for (const key of this.#met) {
      const diagnostic = this.#found.get(key);
      if (diagnostic === undefined) continue;
      const use = this.#own.has(key) ? null : useOf(diagnostic);
      if (use === null) this.#own.add(key);
      this.#found.set(key, { ...diagnostic, usedBy: use === null ? null : this.#added(diagnostic.usedBy, use) });
    }
    this.#met = new Set();
  }

  #added(known: WorkflowUse | null, { workflow, file, source, start }: UsePlace): WorkflowUse {
    if (known !== null) return { ...known, others: known.others + 1 };
    return { workflow, file, ...this.#linesOf(file, source).positionAt(start), others: 0 };
  }

  /** Grows whenever an error is met, also one that is known: equal before and after means that a part has none. */
  get errorsMet(): number {
    return this.#errorsMet;
  }

  hasErrorWithin(file: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
    for (const other of this.#found.values()) {
      const isInside = other.file === file && other.start >= start && other.end <= end;
      if (isInside && other.severity === "error") return true;
    }
    return false;
  }

  /** By file, and from top to bottom as a reader goes; errors are not put before warnings. */
  sorted(): Diagnostic[] {
    return [...this.#found.values()].sort(
      (a, b) => compareText(a.file, b.file) || a.start - b.start || b.end - a.end || compareText(a.code, b.code),
    );
  }

  #linesOf(file: string, source: string): LineTable {
    const known = this.#lines.get(file);
    if (known !== undefined) return known;
    const lines = new LineTable(source);
    this.#lines.set(file, lines);
    return lines;
  }
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
