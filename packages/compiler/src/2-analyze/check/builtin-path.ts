import { builtinAt, isBuiltin } from "@cairnjs/ir";
import type { Node } from "oxc-parser";
import { resolutionOf, type NameContext } from "./context.ts";
import { bare, staticMemberName } from "./shape.ts";

/**
 * The path of a built-in that an expression names in the source: `Math.max`, `Array.prototype.slice`. The last
 * part need not exist; null when the object before it is no intrinsic object whose members are known.
 */
export function builtinPath(node: Node, context: NameContext): string | null {
  const inner = bare(node);
  if (inner.type === "Identifier") {
    const resolution = resolutionOf(inner, context);
    return resolution?.kind === "intrinsic" ? resolution.path : null;
  }
  const name = staticMemberName(inner);
  if (name === null || inner.type !== "MemberExpression") return null;
  const owner = builtinPath(inner.object, context);
  if (owner === null || !hasKnownMembers(owner)) return null;
  return `${owner}.${name}`;
}

export function hasKnownMembers(path: string): boolean {
  if (!isBuiltin(path)) return false;
  const kind = builtinAt(path)?.kind;
  return kind === "namespace" || kind === "constructor" || kind === "prototype" || kind === "function";
}
