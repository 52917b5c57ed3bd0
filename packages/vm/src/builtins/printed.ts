import type { VForeign } from "../heap/foreign.ts";
import { getProperty } from "../heap/properties.ts";
import type { VBuiltin, VClass, VClosure } from "../heap/function.ts";
import { Kind, VIntrinsic, VObject, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, unsupported } from "../machine/host.ts";

/**
 * A value as V8 prints it inside the messages of built-in errors: without running program code. Objects that
 * inherit `Object.prototype.toString` show their constructor (`#<Map>`), those with another one their tag.
 */
export function printed(context: HostContext, value: Value): string {
  if (!(value instanceof VObject)) return String(value);
  const { kind } = value;
  if (isCallable(value)) unsupported("the text of a function, in an error message,");
  const toText = ownOrInherited(value, "toString");
  if (kind === Kind.Error || toText === context.realm.intrinsics.get("Error.prototype.toString")) {
    return errorText(context, value);
  }
  if (toText === context.realm.intrinsics.get("Object.prototype.toString")) {
    const name = constructorName(value);
    if (name !== "") return `#<${name}>`;
  }
  return `[object ${tagOf(value)}]`;
}

/** What `Object.prototype.toString` puts after `[object `. */
export function tagOf(value: Value): string {
  if (!(value instanceof VObject)) {
    if (value === undefined) return "Undefined";
    if (value === null) return "Null";
    return PRIMITIVE_TAGS[typeof value] ?? "Object";
  }
  if (value instanceof VIntrinsic) return INTRINSIC_TAGS[value.path] ?? toStringTag(value.path);
  if (value.kind === Kind.Error) return isDomException(value) ? "DOMException" : "Error";
  if (value.kind === Kind.Iterator) return iteratorTag(value);
  if (value.kind === Kind.Foreign) return (value as VForeign).refuse();
  if (value.kind === Kind.Closure) return (value as VClosure).unit.meta.async ? "AsyncFunction" : "Function";
  return KIND_TAGS[value.kind] ?? (isCallable(value) ? "Function" : "Object");
}

const PRIMITIVE_TAGS: Readonly<Record<string, string>> = {
  string: "String",
  number: "Number",
  boolean: "Boolean",
  bigint: "BigInt",
};

const KIND_TAGS: Readonly<Record<number, string>> = {
  [Kind.Array]: "Array",
  [Kind.Promise]: "Promise",
  [Kind.Map]: "Map",
  [Kind.Set]: "Set",
  [Kind.Date]: "Date",
  [Kind.RegExp]: "RegExp",
  [Kind.Bytes]: "Uint8Array",
  [Kind.Url]: "URL",
  [Kind.UrlParams]: "URLSearchParams",
  [Kind.Encoder]: "TextEncoder",
  [Kind.Decoder]: "TextDecoder",
  [Kind.Buffer]: "ArrayBuffer",
};

/** Intrinsic objects whose tag is not their constructor's name. */
const INTRINSIC_TAGS: Readonly<Record<string, string>> = {
  "Array.prototype": "Array",
  "Function.prototype": "Function",
  "String.prototype": "String",
  "Number.prototype": "Number",
  "Boolean.prototype": "Boolean",
  "AsyncFunction.prototype": "AsyncFunction",
  console: "console",
  crypto: "Crypto",
};

const TAGGED = new Set([
  "BigInt",
  "DOMException",
  "JSON",
  "Map",
  "Math",
  "Promise",
  "Set",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
]);

function toStringTag(path: string): string {
  const owner = path.replace(/\.prototype$/, "");
  return TAGGED.has(owner) || owner.endsWith(" Iterator") ? owner : "Object";
}

function iteratorTag(iterator: VObject): string {
  return iterator.proto instanceof VIntrinsic ? toStringTag(iterator.proto.path) : "Object";
}

export function isDomException(error: VObject): boolean {
  return error.proto instanceof VIntrinsic && error.proto.path === "DOMException.prototype";
}

/** As V8's own version of Error.prototype.toString, which runs no program code. */
function errorText(context: HostContext, error: VObject): string {
  if (isDomException(error)) return "";
  const name = plainText(getProperty(context, error, "name"), "Error");
  const message = plainText(getProperty(context, error, "message"), "");
  if (name === "") return message;
  return message === "" ? name : `${name}: ${message}`;
}

function plainText(value: Value, absent: string): string {
  if (value === undefined) return absent;
  if (value instanceof VObject) unsupported("an error whose name or message is an object, in an error message,");
  return String(value);
}

export function constructorName(object: VObject): string {
  const constructor = ownOrInherited(object, "constructor");
  if (!(constructor instanceof VObject)) return "";
  switch (constructor.kind) {
    case Kind.Builtin:
      return (constructor as VBuiltin).path.replace("cairn.", "");
    case Kind.Class:
      return (constructor as VClass).name;
    case Kind.Closure:
      return (constructor as VClosure).givenName ?? (constructor as VClosure).unit.meta.name;
    default:
      return "";
  }
}

/** A data property along the prototypes, with no getter run. */
function ownOrInherited(object: VObject, key: string): Value {
  for (let at: VObject | null = object; at !== null; at = at.proto) if (at.has(key)) return at.read(key);
  return undefined;
}
