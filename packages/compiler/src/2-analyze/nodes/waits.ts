import type { CallExpression, Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Linker } from "../link/linker.ts";
import type { Module } from "../link/module.ts";
import type { Binding } from "../scope/binding.ts";
import { lastName } from "./names.ts";

/** `s.wait(…)` where the body says `const s = signal(…)`. */
export interface Wait {
  /** The `s` in front of the dot. */
  readonly object: Node;
  readonly binding: Binding;
}

/** Such a wait is a node of its own; null for any other call. */
export function waitOf(node: CallExpression, module: Module, linker: Linker): Wait | null {
  const callee = erase(node.callee);
  if (callee.type !== "MemberExpression" || callee.computed || lastName(callee) !== "wait") return null;
  const object = erase(callee.object);
  const resolution = linker.resolve(module, object);
  if (resolution?.kind !== "local" || signalCall(resolution.binding, module, linker) === null) return null;
  return { object, binding: resolution.binding };
}

/** The constant that holds what this `signal(…)` gives, if it is used for `wait(…)` alone, at least once. */
export function onlyWaited(node: CallExpression, module: Module, linker: Linker): Binding | null {
  const { parents, references } = module.scopes;
  let parent = parents.get(node);
  while (parent !== undefined && erase(parent) === node) parent = parents.get(parent);
  if (parent?.type !== "VariableDeclarator") return null;
  const binding = references.get(parent.id)?.binding;
  if (binding == null || signalCall(binding, module, linker) !== node) return null;
  const uses = binding.references.filter(({ access }) => access !== "init");
  return uses.length > 0 && uses.every((use) => isWaited(use.node, module, linker)) ? binding : null;
}

function isWaited(node: Node, module: Module, linker: Linker): boolean {
  const { parents } = module.scopes;
  let above = parents.get(node);
  while (above !== undefined && above.type !== "CallExpression" && erasedObject(above) === node)
    above = parents.get(above);
  return above?.type === "CallExpression" && waitOf(above, module, linker)?.object === node;
}

/** Of `s`, `s!` and `s!.wait`, the `s`. */
function erasedObject(node: Node): Node {
  const bare = erase(node);
  return bare.type === "MemberExpression" ? erase(bare.object) : bare;
}

/** The `signal(…)` of `const s = signal(…)` in a body. */
function signalCall(binding: Binding, module: Module, linker: Linker): CallExpression | null {
  const { kind, declaration, scope } = binding;
  if (kind !== "const" || scope.kind === "module" || declaration.type !== "VariableDeclarator") return null;
  if (declaration.id.type !== "Identifier" || declaration.init === null) return null;
  const init = erase(declaration.init);
  if (init.type !== "CallExpression") return null;
  const callee = linker.resolve(module, erase(init.callee));
  return callee?.kind === "durable" && callee.durable === "signal" && callee.declaration === null ? init : null;
}
