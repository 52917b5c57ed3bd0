import type { Node } from "oxc-parser";
import { children } from "../1-parse/children.ts";
import { isErasedWrapper, isTypeOnly } from "../1-parse/erase.ts";
import { evaluationOrder } from "../2-analyze/link/evaluation-order.ts";
import type { Linker } from "../2-analyze/link/linker.ts";
import type { Module } from "../2-analyze/link/module.ts";
import type { Global } from "../2-analyze/resolution.ts";

/**
 * The order in which the values of globals are made: as an engine does, module by module and from top to bottom.
 * In a circle of imports that order depends on which module an application loads first, which is not known here;
 * there a constant comes after those that its initialiser reads.
 */
export function initialOrder(globals: readonly Global[], entry: Module, linker: Linker): Global[] {
  const rank = new Map(evaluationOrder(entry, linker).map((module, index) => [module, index]));
  const rankOf = ({ module }: Global): number => rank.get(module) ?? rank.size;
  const sorted = globals.toSorted((a, b) => rankOf(a) - rankOf(b) || startOf(a) - startOf(b));
  const wanted = new Set(sorted);
  const ordered = new Set<Global>();
  const visited = new Set<Global>();
  const visit = (global: Global): void => {
    if (visited.has(global) || !wanted.has(global)) return;
    visited.add(global);
    for (const needed of neededBy(global, linker)) visit(needed);
    ordered.add(global);
  };
  for (const global of sorted) visit(global);
  return [...ordered];
}

function startOf({ declaration }: Global): number {
  switch (declaration.kind) {
    case "enum":
      return declaration.nodes[0]?.start ?? 0;
    case "constant":
      return declaration.init.start;
    default:
      return declaration.node.start;
  }
}

/** The globals that are read while this one is made. */
function neededBy({ declaration, module }: Global, linker: Linker): Set<Global> {
  const needed = new Set<Global>();
  if (declaration.kind === "class" && declaration.node.superClass !== null) {
    addNeeded(declaration.node.superClass, false, { module, linker, needed });
  } else if (declaration.kind === "constant") {
    addNeeded(declaration.init, true, { module, linker, needed });
    if (declaration.pattern !== null) addNeeded(declaration.pattern, false, { module, linker, needed });
  }
  return needed;
}

interface Search {
  readonly module: Module;
  readonly linker: Linker;
  readonly needed: Set<Global>;
}

/** A function that is only stored runs later; any other one may run at once: `[1, 2].map((n) => n * RATE)`. */
function addNeeded(node: Node, isStored: boolean, search: Search): void {
  const { module, linker, needed } = search;
  if (isTypeOnly(node) || linker.isOpaque(module, node)) return;
  const isFunction = node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";
  if (isFunction && isStored) return;
  const resolution = linker.resolve(module, node);
  if (resolution?.kind === "global") {
    needed.add(resolution.global);
    return;
  }
  const keeps = isStored && keepsItsParts(node);
  for (const child of children(node)) addNeeded(child, keeps, search);
}

function keepsItsParts(node: Node): boolean {
  return (
    isErasedWrapper(node) ||
    node.type === "ObjectExpression" ||
    node.type === "Property" ||
    node.type === "ArrayExpression"
  );
}
