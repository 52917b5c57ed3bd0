import { type Diagnostic, renderDiagnostic } from "@cairnjs/compiler";

/** A module's workflows have errors; the message shows them all, each with its place in the source. */
export class CompileFailed extends SyntaxError {
  readonly #diagnostics: readonly Diagnostic[];

  static {
    Object.defineProperty(this.prototype, "name", { value: "CompileFailed", configurable: true, writable: true });
  }

  constructor(diagnostics: readonly Diagnostic[], read: (file: string) => string) {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    super(`${summary(errors)}\n\n${rendered(errors, read)}\n`);
    this.#diagnostics = errors;
    // Where in the compiler it was noticed helps nobody; what is below the message would hide it.
    this.stack = `${this.name}: ${this.message}`;
  }

  /** No property of its own: Node would print it below the message. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }
}

/** The warnings as people see them, or null when there are none. Throws if there are errors. */
export function warningsOf(
  diagnostics: readonly Diagnostic[],
  path: string,
  source: string,
  read: (file: string) => string,
): string | null {
  if (diagnostics.length === 0) return null;
  const textOf = (file: string): string => (file === path ? source : read(file));
  if (diagnostics.some(({ severity }) => severity === "error")) throw new CompileFailed(diagnostics, textOf);
  return rendered(diagnostics, textOf);
}

/** The first line: where only one is shown, it must do. */
function summary([first, ...others]: readonly Diagnostic[]): string {
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const what = first === undefined ? "" : `: ${first.code} at ${first.file}:${first.line}:${first.column}`;
  return `Cairn cannot compile this module${what}${more}`;
}

function rendered(diagnostics: readonly Diagnostic[], read: (file: string) => string): string {
  return diagnostics.map((diagnostic) => renderDiagnostic(diagnostic, read(diagnostic.file))).join("\n\n");
}
