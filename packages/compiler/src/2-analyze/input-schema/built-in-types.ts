import { nonNullable, recordOf, selected, withOptional } from "./derived-types.ts";
import { membersOf, simple, unionOf, type InputType } from "./input-type.ts";

/** The types that TypeScript itself declares and that say something about stored values; null for any other name. */
export function builtInType(name: string, args: readonly InputType[]): InputType | null {
  return Object.hasOwn(builtIns, name) ? (builtIns[name]?.(args) ?? null) : null;
}

type BuiltIn = (args: readonly InputType[]) => InputType;

const builtIns: Readonly<Record<string, BuiltIn>> = {
  Array: arrayOf,
  ReadonlyArray: arrayOf,
  Map: mapOf,
  ReadonlyMap: mapOf,
  Set: setOf,
  ReadonlySet: setOf,
  Date: () => simple.date,
  Uint8Array: () => simple.bytes,
  Buffer: () => simple.bytes,
  URL: () => simple.url,
  URLSearchParams: () => simple.params,
  Error: () => simple.error,
  AggregateError: () => simple.error,
  EvalError: () => simple.error,
  RangeError: () => simple.error,
  ReferenceError: () => simple.error,
  SyntaxError: () => simple.error,
  TypeError: () => simple.error,
  URIError: () => simple.error,
  Uppercase: () => simple.string,
  Lowercase: () => simple.string,
  Capitalize: () => simple.string,
  Uncapitalize: () => simple.string,
  Record: (args) => recordOf(at(args, 0), at(args, 1)),
  Partial: (args) => withOptional(at(args, 0), true),
  Required: (args) => withOptional(at(args, 0), false),
  Readonly: (args) => at(args, 0),
  Pick: (args) => selected(at(args, 0), at(args, 1), true),
  Omit: (args) => selected(at(args, 0), at(args, 1), false),
  NonNullable: (args) => nonNullable(at(args, 0)),
  NoInfer: (args) => at(args, 0),
  Exclude: (args) => filtered(args, false),
  Extract: (args) => filtered(args, true),
};

function at(args: readonly InputType[], index: number): InputType {
  return args[index] ?? simple.opaque;
}

function arrayOf(args: readonly InputType[]): InputType {
  return { kind: "array", element: at(args, 0) };
}

function mapOf(args: readonly InputType[]): InputType {
  return { kind: "map", key: at(args, 0), value: at(args, 1) };
}

function setOf(args: readonly InputType[]): InputType {
  return { kind: "set", member: at(args, 0) };
}

/** `Exclude` and `Extract` ask whether one type fits another, which is plain only for literals and single values. */
function filtered(args: readonly InputType[], isKept: boolean): InputType {
  const members = membersOf(at(args, 0));
  const others = membersOf(at(args, 1));
  if (![...members, ...others].every(isSingleValue)) return simple.opaque;
  return unionOf(members.filter((member) => others.some((other) => isSame(member, other)) === isKept));
}

function isSingleValue({ kind }: InputType): boolean {
  return kind === "literal" || kind === "null" || kind === "undefined";
}

function isSame(a: InputType, b: InputType): boolean {
  return a.kind === "literal" && b.kind === "literal" ? a.value === b.value : a.kind === b.kind;
}
