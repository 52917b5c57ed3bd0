import type { Node } from "oxc-parser";
import { builtinPath } from "./builtin-path.ts";
import { resolutionOf, type NameContext } from "./context.ts";
import { bare, staticKeyName, staticMemberName } from "./shape.ts";

/** An expression and where the names in it are looked up. */
export interface PlacedNode {
  readonly node: Node;
  readonly place: NameContext;
}

/** Constants that name each other in a circle would never end. */
const DEPTH_MAX = 16;

/**
 * The expression that an unchanging name stands for: the initialiser of a `const`, the property of an object
 * literal in one (`tools.search`), the argument of `Object.freeze`. Anything else stands for itself.
 */
export function constantValue(node: Node, place: NameContext, depth = 0): PlacedNode {
  const inner = bare(node);
  const itself = { node: inner, place };
  if (depth > DEPTH_MAX) return itself;
  if (inner.type === "CallExpression" && builtinPath(inner.callee, place) === "Object.freeze") {
    const [frozen] = inner.arguments;
    return frozen === undefined || frozen.type === "SpreadElement" ? itself : constantValue(frozen, place, depth + 1);
  }
  const resolution = resolutionOf(inner, place);
  if (resolution?.kind === "global") {
    const { declaration, module } = resolution.global;
    const target = { module, names: place.names };
    if (declaration.kind === "function") return { node: declaration.node, place: target };
    if (declaration.kind !== "constant") return itself;
    const { pattern, init } = declaration;
    if (isPattern(pattern))
      return takenOut(pattern, resolution.global.name, { node: init, place: target }, depth) ?? itself;
    return constantValue(init, target, depth + 1);
  }
  if (resolution?.kind === "local") {
    const { kind, declaration } = resolution.binding;
    if (kind === "function" || kind === "self") return { node: declaration, place };
    if (kind !== "const" || declaration.type !== "VariableDeclarator") return itself;
    const { id, init } = declaration;
    if (init === null) return itself;
    if (isPattern(id)) return takenOut(id, resolution.binding.name, { node: init, place }, depth) ?? itself;
    return constantValue(init, place, depth + 1);
  }
  const name = staticMemberName(inner);
  if (resolution !== null || name === null || inner.type !== "MemberExpression") return itself;
  const owner = constantValue(inner.object, place, depth + 1);
  const value = propertyValue(owner.node, name);
  return value === null ? itself : constantValue(value, owner.place, depth + 1);
}

function isPattern(node: Node | null): node is Node {
  return node !== null && node.type !== "Identifier";
}

/** `load` of `const { load, save: store } = tools`: what stands in the object under the key; null for deeper patterns. */
function takenOut(pattern: Node, name: string, { node, place }: PlacedNode, depth: number): PlacedNode | null {
  if (pattern.type !== "ObjectPattern") return null;
  const taken = pattern.properties.find(
    (each) => each.type === "Property" && each.value.type === "Identifier" && each.value.name === name,
  );
  const key = taken?.type === "Property" ? staticKeyName(taken) : null;
  if (key === null) return null;
  const owner = constantValue(node, place, depth + 1);
  const value = propertyValue(owner.node, key);
  return value === null ? null : constantValue(value, owner.place, depth + 1);
}

function propertyValue(object: Node, name: string): Node | null {
  if (object.type !== "ObjectExpression") return null;
  const found = object.properties.findLast(
    (property) => property.type === "Property" && property.kind === "init" && staticKeyName(property) === name,
  );
  return found?.type === "Property" ? found.value : null;
}
