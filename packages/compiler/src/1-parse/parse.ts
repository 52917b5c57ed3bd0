import { parseSync, type Program } from "oxc-parser";
import { tooDeepNode } from "./nesting.ts";
import { tooDeepOffset } from "./nesting-bound.ts";

/** A module's source and its tree (ESTree with TypeScript nodes), not yet looked at. */
export interface ParsedModule {
  readonly id: string;
  readonly source: string;
  readonly program: Program;
  readonly problems: readonly SyntaxProblem[];
}

/** Something that a JavaScript engine refuses before it runs anything, or that the compiler cannot follow. */
export interface SyntaxProblem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** The message of a problem that is none of syntax. */
export const TOO_DEEP = "it is nested too deeply";

/**
 * Parentheses are not kept as nodes: the extent of an optional chain stands in the tree as `ChainExpression`, and
 * the one other place where they matter, `(f) = function () {}`, shows in the offsets.
 */
export function parse(id: string, source: string): ParsedModule {
  const lone = source.search(LONE_SURROGATE);
  if (lone !== -1) return withoutTree(id, source, [{ message: LONE, start: lone, end: lone + 1 }]);
  const offset = tooDeepOffset(source);
  if (offset !== null) return withoutTree(id, source, [{ message: TOO_DEEP, start: offset, end: offset + 1 }]);
  const lang = /\.[jt]sx$/.test(id) ? "tsx" : "ts";
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
  if (problems.length > 0) return withoutTree(id, source, problems);
  const node = tooDeepNode(program);
  if (node === null) return { id, source, program, problems };
  return withoutTree(id, source, [{ message: TOO_DEEP, start: node.start, end: node.end }]);
}

/** The parser works on UTF-8 and would read another character. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const LONE = "Half of a surrogate pair; write it as an escape: `\\uD83D`";

/** What a JavaScript engine would not run. */
const isRefused = { Error: true, Warning: false, Advice: false };

/** Nobody may walk a tree that is too deep, or look for meaning in one that lacks parts. */
function withoutTree(id: string, source: string, problems: readonly SyntaxProblem[]): ParsedModule {
  const program: Program = { type: "Program", body: [], sourceType: "module", hashbang: null, start: 0, end: 0 };
  return { id, source, program, problems };
}
