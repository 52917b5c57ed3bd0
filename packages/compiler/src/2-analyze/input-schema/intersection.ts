import {
  membersOf,
  simple,
  unionOf,
  type InputType,
  type ObjectType,
  type PropertyType,
  type UnionMember,
} from "./input-type.ts";

/** Alternatives multiply: `(A | B) & (C | D)` has four. */
const ALTERNATIVES_MAX = 64;

/** Properties of properties that both sides have: two types that contain themselves would never end. */
const DEPTH_MAX = 3;

/** `A & B`. What cannot be told is not understood, never refused. */
export function intersection(left: InputType, right: InputType): InputType {
  return intersect(left, right, 0);
}

function intersect(left: InputType, right: InputType, depth: number): InputType {
  if (left === right) return left;
  if (depth > DEPTH_MAX) return simple.opaque;
  const lefts = membersOf(left);
  const rights = membersOf(right);
  if (lefts.length * rights.length > ALTERNATIVES_MAX) return simple.opaque;
  const found = lefts.flatMap((a) => rights.map((b) => both(a, b, depth)));
  const possible = found.filter(({ kind }) => kind !== "never");
  return unionOf([...new Set(possible)]);
}

function both(a: UnionMember, b: UnionMember, depth: number): InputType {
  if (a.kind === "any" || b.kind === "any") return simple.any;
  if (a === b || b.kind === "unknown") return a;
  if (a.kind === "unknown") return b;
  if (a.kind === "object" && b.kind === "object") return merged(a, b, depth + 1);
  if (a.kind === "object") return withObject(b, a);
  if (b.kind === "object") return withObject(a, b);
  if (a.kind === "never" || b.kind === "never") return simple.never;
  if (a.kind === "literal" && b.kind === "literal") return a.value === b.value ? a : simple.never;
  if (a.kind === "literal" && typeof a.value === b.kind) return a;
  if (b.kind === "literal" && typeof b.value === a.kind) return b;
  return isPrimitive(a) && isPrimitive(b) && a.kind !== b.kind ? simple.never : simple.opaque;
}

/** `string & { __brand: "id" }` is a string wherever it runs; the brand exists for the type checker alone. */
function withObject(other: UnionMember, object: ObjectType): InputType {
  if (other.kind === "opaque") return { ...object, isOpen: true };
  if (other.kind === "nonPrimitive") return object;
  return isPrimitive(other) ? other : simple.opaque;
}

function isPrimitive({ kind }: InputType): boolean {
  return ["string", "number", "boolean", "bigint", "null", "undefined", "literal", "never"].includes(kind);
}

function merged(a: ObjectType, b: ObjectType, depth: number): ObjectType {
  const properties = new Map<string, PropertyType>(a.properties);
  for (const [name, property] of b.properties) {
    const first = a.properties.get(name);
    properties.set(name, first === undefined ? property : mergedProperty(first, property, depth));
  }
  const index = a.index === null || b.index === null ? (a.index ?? b.index) : intersect(a.index, b.index, depth);
  return { kind: "object", properties, index, isOpen: a.isOpen || b.isOpen };
}

function mergedProperty(a: PropertyType, b: PropertyType, depth: number): PropertyType {
  return {
    type: intersect(a.type, b.type, depth),
    isOptional: a.isOptional && b.isOptional,
    description: a.description ?? b.description,
  };
}
