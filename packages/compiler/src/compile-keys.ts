import { type Program, programHash, validateProgram } from "@cairnjs/ir";
import type { KeyPlace } from "./2-analyze/check/key-places.ts";
import { type Diagnostic, positionAt } from "./2-analyze/diagnostic.ts";
import type { SourceHooks } from "./2-analyze/link/modules.ts";
import type { CompileResult } from "./compile.ts";

/** A function that makes the key of a limit, as a program whose input is the array of arguments. */
export interface CompiledKey {
  /** Where the function stands. */
  readonly start: number;
  readonly end: number;
  readonly program: Program;
}

export interface CompiledKeys {
  readonly keys: readonly CompiledKey[];
  /** What is wrong with them, and was not known. */
  readonly diagnostics: readonly Diagnostic[];
}

type Compile = (entry: string, hooks: SourceHooks) => Pick<CompileResult, "workflows" | "diagnostics">;

/**
 * Key functions are compiled like helpers: a copy of each is called by a workflow of its own, at the end of the module's text,
 * where it sees the module's names, whatever they are: those around it begin as none in the module does. What is said of the copy is said of the original.
 */
export function compileKeys(
  entry: string,
  source: string,
  hooks: SourceHooks,
  places: readonly KeyPlace[],
  known: readonly Diagnostic[],
  compile: Compile,
): CompiledKeys {
  const prefix = unusedName(source);
  let text = `${source}\nimport { workflow as ${prefix} } from "cairnjs";\n`;
  const copies = places.map((place, index) => {
    text += `export const ${prefix}_${index} = ${prefix}("${prefix}_${index}", async (${prefix}_args) => { const ${prefix}_key = (`;
    const start = text.length;
    text += `${source.slice(place.start, place.end)}); return ${prefix}_key(...${prefix}_args); });\n`;
    return { place, start, end: start + place.end - place.start };
  });
  const read = (id: string): string => (id === entry ? text : hooks.read(id));
  const result = compile(entry, { resolve: (specifier, importer) => hooks.resolve(specifier, importer), read });
  const diagnostics = result.diagnostics.flatMap((diagnostic) => {
    if (diagnostic.file !== entry || diagnostic.start < source.length) {
      return known.some((each) => isSame(each, diagnostic)) ? [] : [diagnostic];
    }
    const copy = copies.find(({ start, end }) => start <= diagnostic.start && diagnostic.start < end);
    return copy === undefined ? [] : [moved(diagnostic, copy.place.start - copy.start, source)];
  });
  const keys: CompiledKey[] = [];
  for (const [index, { place }] of copies.entries()) {
    const compiled = result.workflows.find(({ name }) => name === `${prefix}_${index}`);
    const { start, end, what } = place;
    if (compiled === undefined) {
      if (!diagnostics.some(({ severity }) => severity === "error"))
        diagnostics.push(unusable(entry, source, place, "cannot be compiled"));
    } else if (compiled.program.nodes.length > 0) {
      diagnostics.push(
        unusable(entry, source, place, `calls \`${compiled.program.nodes[0]!.name ?? "something"}\`, which takes time`),
      );
    } else keys.push({ start, end, program: withoutPlaces(compiled.program, what) });
  }
  return { keys, diagnostics };
}

function unusedName(source: string): string {
  let name = "$cairnKey";
  for (let number = 1; source.includes(name); number++) name = `$cairnKey${number}`;
  return name;
}

function isSame(a: Diagnostic, b: Diagnostic): boolean {
  return a.code === b.code && a.file === b.file && a.start === b.start && a.message === b.message;
}

function moved(diagnostic: Diagnostic, by: number, source: string): Diagnostic {
  const start = diagnostic.start + by;
  return { ...diagnostic, start, end: diagnostic.end + by, ...positionAt(source, start) };
}

function unusable(file: string, source: string, { start, end, what }: KeyPlace, why: string): Diagnostic {
  const message = `The function ${what} ${why}.`;
  const hint =
    "Give a function of the arguments that returns a text, a number or a boolean: `key: (input) => input.tenant`.";
  return {
    code: "CAIRN5011",
    severity: "error",
    file,
    ...positionAt(source, start),
    start,
    end,
    message,
    hint,
    usedBy: null,
  };
}

/** The same program wherever the function stands: it is registered anew only if it does something else. */
function withoutPlaces(program: Program, what: string): Program {
  const named = { ...program, name: "key" };
  return validateProgram({
    ...named,
    debug: {
      files: [what],
      lines: [[0]],
      functions: program.functions.map(() => ({ file: 0, spans: [], variables: [] })),
      sourceHash: programHash(named),
    },
  });
}
