import type { Node } from "oxc-parser";
import type { SyntaxProblem } from "../../1-parse/parse.ts";
import type { Binding, Clash, Frame, Reference, Scope, ScopeKind } from "./binding.ts";
import { alwaysReady, declare } from "./declare.ts";
import type { ModuleScopes } from "./module-scopes.ts";
import { accessOf, mayBeUninitialised } from "./readiness.ts";

/** The scopes, names and parents of a module, as far as the analysis has come. */
export class ScopeTree {
  readonly frames = new Map<Node, Frame>();
  readonly parents = new Map<Node, Node>();
  readonly problems: SyntaxProblem[] = [];
  readonly #scopes = new Map<Node, Scope>();
  readonly #references = new Map<Node, Reference>();
  readonly #clashes: Clash[] = [];
  #lastOffset = 0;
  #isInOrder = true;

  open(kind: ScopeKind, node: Node, parent: Scope | null, frame: Frame): Scope {
    const scope: Scope = { kind, node, parent, frame, bindings: new Map(), clashes: this.#clashes };
    this.#scopes.set(node, scope);
    return scope;
  }

  refer(node: Node, name: string, scope: Scope, access: Reference["access"]): void {
    let binding: Binding | null = null;
    for (let at: Scope | null = scope; at !== null && binding === null; at = at.parent) {
      binding = at.bindings.get(name) ?? null;
    }
    const actual = accessOf(node, access, binding, this.parents);
    if (binding !== null && actual !== access && isInBlock(binding)) this.#clashes.push({ name, declaration: node });
    this.#add({ node, name, binding, scope, access: actual });
  }

  /** Only where an arrow uses the `this` of a function around it is that a variable. */
  referThis(node: Node, scope: Scope): void {
    let frame = scope.frame;
    while (frame.kind === "arrow" && frame.parent !== null) frame = frame.parent;
    if (frame === scope.frame || frame.kind === "module") return;
    const owner = this.#scopes.get(frame.node);
    if (owner === undefined) return;
    frame.thisBinding ??= declare(owner, "this", "this", frame.node, alwaysReady);
    this.#add({ node, name: "this", binding: frame.thisBinding, scope, access: "read" });
  }

  #add(reference: Reference): void {
    const { node, binding, access } = reference;
    this.#references.set(node, reference);
    if (node.start < this.#lastOffset) this.#isInOrder = false;
    this.#lastOffset = node.start;
    if (binding === null) return;
    binding.references.push(reference);
    if (access !== "read") binding.writes.push(node.start);
    if (access !== "init" && mayBeUninitialised(reference, binding)) binding.checked = true;
  }

  result(module: Scope): ModuleScopes {
    const localReferences = [...this.#references.values()].filter(
      ({ binding }) => binding !== null && binding.scope.kind !== "module",
    );
    if (!this.#isInOrder) this.#sort(localReferences);
    return {
      module,
      scopes: this.#scopes,
      frames: this.frames,
      references: this.#references,
      localReferences,
      parents: this.parents,
      problems: [...this.problems, ...this.#clashes.map(clashProblem)],
    };
  }

  /** Nearly everything is visited in order of the source; the fields in front of a constructor are not. */
  #sort(localReferences: Reference[]): void {
    localReferences.sort((a, b) => a.node.start - b.node.start);
    for (const { bindings } of this.#scopes.values()) {
      for (const { writes } of bindings.values()) writes.sort((a, b) => a - b);
    }
  }
}

/** A function that a `var` of the same name would have to leave the block past. */
function isInBlock({ kind, scope }: Binding): boolean {
  return kind === "function" && (scope.kind === "block" || scope.kind === "switch");
}

function clashProblem({ name, declaration }: Clash): SyntaxProblem {
  const named = "local" in declaration ? declaration.local : "id" in declaration ? declaration.id : null;
  const { start, end } = named ?? declaration;
  return { message: `Identifier \`${name}\` has already been declared`, start, end };
}
