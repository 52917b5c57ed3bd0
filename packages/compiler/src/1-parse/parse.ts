import { parseSync, type Program } from "oxc-parser";

/** A module's source and its tree (ESTree with TypeScript nodes), not yet looked at. */
export interface ParsedModule {
  readonly id: string;
  readonly source: string;
  readonly program: Program;
  readonly problems: readonly SyntaxProblem[];
}

/** Something that a JavaScript engine refuses before it runs anything. */
export interface SyntaxProblem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Parentheses are not kept as nodes: the extent of an optional chain stands in the tree as `ChainExpression`, and
 * the one other place where they matter, `(f) = function () {}`, shows in the offsets.
 */
export function parse(id: string, source: string): ParsedModule {
  const lang = id.endsWith(".tsx") ? "tsx" : "ts";
  const { program, errors } = parseSync(id, source, {
    lang,
    sourceType: "module",
    astType: "ts",
    preserveParens: false,
    showSemanticErrors: true,
  });
  const problems = errors
    .filter(({ severity }) => isRefused[severity])
    .map((error) => {
      const label = error.labels[0];
      return { message: error.message, start: label?.start ?? 0, end: label?.end ?? 0 };
    });
  return { id, source, program, problems };
}

/** What a JavaScript engine would not run. */
const isRefused = { Error: true, Warning: false, Advice: false };
