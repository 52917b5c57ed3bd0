/** A TypeScript type as far as it says something about stored values. */
export type InputType =
  | SimpleType
  | LiteralType
  | ObjectType
  | ArrayType
  | TupleType
  | MapType
  | SetType
  | UnionType
  | NamedType;

/** Types without parts. `opaque` is one that was not understood; of instances, the built-in classes that are storable. */
export interface SimpleType {
  readonly kind: SimpleKind;
}

type SimpleKind =
  | "opaque"
  | "any"
  | "unknown"
  | "never"
  | "string"
  | "number"
  | "boolean"
  | "bigint"
  | "null"
  | "undefined"
  /** `object`: whatever is no primitive. */
  | "nonPrimitive"
  | "date"
  | "bytes"
  | "url"
  | "params"
  | "error";

export interface LiteralType {
  readonly kind: "literal";
  readonly value: string | number | boolean | bigint;
}

export interface ObjectType {
  readonly kind: "object";
  readonly properties: ReadonlyMap<string, PropertyType>;
  /** Type of all other properties; null when there are none. */
  readonly index: InputType | null;
  /** A part was not understood: there may be other properties, and the value may not even be a plain object. */
  readonly isOpen: boolean;
}

export interface PropertyType {
  readonly type: InputType;
  readonly isOptional: boolean;
  readonly description: string | null;
}

interface ArrayType {
  readonly kind: "array";
  readonly element: InputType;
}

export interface TupleType {
  readonly kind: "tuple";
  readonly elements: readonly InputType[];
  /** How many of the elements must be there. */
  readonly required: number;
  /** Of the elements behind those; null when there are none. */
  readonly rest: InputType | null;
}

interface MapType {
  readonly kind: "map";
  readonly key: InputType;
  readonly value: InputType;
}

interface SetType {
  readonly kind: "set";
  readonly member: InputType;
}

interface UnionType {
  readonly kind: "union";
  readonly members: readonly InputType[];
}

/** An alias or interface, read when it is asked for: it may contain itself. */
export interface NamedType {
  readonly kind: "named";
  readonly name: string;
  readonly description: string | null;
  definition(): InputType;
}

/** One of each, so that equal arguments of a generic type are the same object. */
export const simple: { readonly [K in SimpleKind]: SimpleType } = {
  opaque: { kind: "opaque" },
  any: { kind: "any" },
  unknown: { kind: "unknown" },
  never: { kind: "never" },
  string: { kind: "string" },
  number: { kind: "number" },
  boolean: { kind: "boolean" },
  bigint: { kind: "bigint" },
  null: { kind: "null" },
  undefined: { kind: "undefined" },
  nonPrimitive: { kind: "nonPrimitive" },
  date: { kind: "date" },
  bytes: { kind: "bytes" },
  url: { kind: "url" },
  params: { kind: "params" },
  error: { kind: "error" },
};

/** What a name stands for in the end; a name that stands for itself is not understood. */
export function resolved(type: InputType): Exclude<InputType, NamedType> {
  let at = type;
  for (let steps = 0; at.kind === "named"; steps += 1) {
    if (steps === NAMES_MAX) return simple.opaque;
    at = at.definition();
  }
  return at;
}

/** `type A = B; type B = A;` would go on for ever. */
const NAMES_MAX = 64;

/** The alternatives, names and nested unions resolved; not understood when there are too many. */
export function membersOf(type: InputType): UnionMember[] {
  const found: UnionMember[] = [];
  const isWhole = collect(type, found, []);
  return isWhole ? found : [simple.opaque];
}

export type UnionMember = Exclude<InputType, NamedType | UnionType>;

const MEMBERS_MAX = 1000;

/** `outer`: the unions around this one, of which it may be a part again. */
function collect(type: InputType, found: UnionMember[], outer: readonly InputType[]): boolean {
  const at = resolved(type);
  if (at.kind !== "union") return found.push(at) <= MEMBERS_MAX;
  if (outer.length === NAMES_MAX) return false;
  return outer.includes(at) || at.members.every((member) => collect(member, found, [...outer, at]));
}

/** `type A = A | string`, which has no meaning: its definition leads to itself without anything in between. */
export function isCircular(type: NamedType): boolean {
  const seen = new Set<InputType>();
  const open = [type.definition()];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === type || seen.size === NAMES_MAX) return true;
    if (seen.has(at) || (at.kind !== "named" && at.kind !== "union")) continue;
    seen.add(at);
    open.push(...(at.kind === "named" ? [at.definition()] : at.members));
  }
  return false;
}

export function unionOf(members: readonly InputType[]): InputType {
  const [only] = members;
  if (only === undefined) return simple.never;
  return members.length === 1 ? only : { kind: "union", members };
}
