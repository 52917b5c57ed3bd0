import {
  membersOf,
  resolved,
  simple,
  unionOf,
  type InputType,
  type ObjectType,
  type PropertyType,
} from "./input-type.ts";

/** `Partial<T>` and `Required<T>`, of each alternative. */
export function withOptional(type: InputType, isOptional: boolean): InputType {
  const members = membersOf(type).map((member) => {
    if (member.kind !== "object") return partialOf(member);
    const properties = [...member.properties].map(([name, property]): [string, PropertyType] => [
      name,
      { ...property, type: isOptional ? property.type : withoutUndefined(property), isOptional },
    ]);
    const index = member.index === null || !isOptional ? member.index : unionOf([member.index, simple.undefined]);
    return { ...member, properties: new Map(properties), index };
  });
  return unionOf(members);
}

/** Mapped types leave primitives as they are; what they do to arrays and instances is not followed. */
function partialOf(member: InputType): InputType {
  const isScalar = ["string", "number", "boolean", "bigint", "null", "undefined", "literal"].includes(member.kind);
  return isScalar ? member : simple.opaque;
}

/** `Required<{ a?: string | undefined }>` has `a: string`; a property that was required keeps its type. */
function withoutUndefined({ type, isOptional }: PropertyType): InputType {
  return isOptional ? without(type, "undefined") : type;
}

/** `NonNullable<T>`. */
export function nonNullable(type: InputType): InputType {
  return without(without(type, "null"), "undefined");
}

function without(type: InputType, kind: "null" | "undefined"): InputType {
  const members = membersOf(type);
  return members.some((member) => member.kind === kind)
    ? unionOf(members.filter((member) => member.kind !== kind))
    : type;
}

/** `Pick<T, K>` or `Omit<T, K>`. */
export function selected(type: InputType, keys: InputType, isKept: boolean): InputType {
  const object = resolved(type);
  const names = literalNames(keys);
  if (object.kind !== "object" || names === null || object.index !== null) return simple.opaque;
  const properties = [...object.properties].filter(([name]) => names.has(name) === isKept);
  return { ...object, properties: new Map(properties) };
}

/** `keyof T`. */
export function keysOf(type: InputType): InputType {
  const object = resolved(type);
  if (object.kind !== "object" || object.index !== null || object.isOpen) return simple.opaque;
  return unionOf([...object.properties.keys()].map((value) => ({ kind: "literal", value })));
}

/** `Record<K, V>`. */
export function recordOf(keys: InputType, value: InputType): InputType {
  const names = literalNames(keys);
  if (names !== null) {
    const property: PropertyType = { type: value, isOptional: false, description: null };
    return objectOf([...names].map((name) => [name, property]));
  }
  const kinds = membersOf(keys).map(({ kind }) => kind);
  const object: InputType = { ...objectOf([]), index: value };
  if (kinds.every((kind) => kind === "string")) return object;
  // An array has numbers as keys too.
  if (kinds.every((kind) => kind === "string" || kind === "number")) {
    return unionOf([object, { kind: "array", element: value }]);
  }
  return simple.opaque;
}

function objectOf(properties: Iterable<readonly [string, PropertyType]>): ObjectType {
  return { kind: "object", properties: new Map(properties), index: null, isOpen: false };
}

/** `T["key"]`, `T[number]`. */
export function accessOf(type: InputType, key: InputType): InputType {
  const holder = resolved(type);
  if (holder.kind === "array") return isIndex(key) ? holder.element : simple.opaque;
  if (holder.kind === "tuple") {
    const all = holder.rest === null ? holder.elements : [...holder.elements, holder.rest];
    return isIndex(key) ? unionOf(all) : simple.opaque;
  }
  const names = literalNames(key);
  if (holder.kind !== "object" || names === null) return simple.opaque;
  const found: InputType[] = [];
  for (const name of names) {
    const property = holder.properties.get(name);
    const part = property?.type ?? holder.index;
    if (part === null) return simple.opaque;
    found.push(part);
    if (property?.isOptional === true) found.push(simple.undefined);
  }
  return unionOf(found);
}

/** Any position: which one does not matter where all are allowed. */
function isIndex(key: InputType): boolean {
  const at = resolved(key);
  return at.kind === "number" || (at.kind === "literal" && typeof at.value === "number");
}

/** The keys when all are known. */
function literalNames(keys: InputType): Set<string> | null {
  const names = new Set<string>();
  for (const member of membersOf(keys)) {
    if (member.kind === "never") continue;
    if (member.kind !== "literal") return null;
    names.add(String(member.value));
  }
  return names;
}
