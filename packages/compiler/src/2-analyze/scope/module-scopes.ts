import type { Node } from "oxc-parser";
import type { SyntaxProblem } from "../../1-parse/parse.ts";
import type { Frame, Reference, Scope } from "./binding.ts";

/** Scopes and names of one module: which declaration each identifier means. */
export interface ModuleScopes {
  readonly module: Scope;
  /** By the node that opens it: block, function (its parameters), function body, loop, switch, catch clause. */
  readonly scopes: ReadonlyMap<Node, Scope>;
  readonly frames: ReadonlyMap<Node, Frame>;
  /** By identifier (or `this`). */
  readonly references: ReadonlyMap<Node, Reference>;
  /** Those to variables of functions and blocks, in order of the source. */
  readonly localReferences: readonly Reference[];
  readonly parents: ReadonlyMap<Node, Node>;
  /** Early errors that the parser leaves to others. */
  readonly problems: readonly SyntaxProblem[];
}
