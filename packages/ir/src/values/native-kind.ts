import type { Codec } from "./codec.ts";
import { constructorName } from "./native-error-names.ts";
import { classAdvice, unstorable } from "./not-storable.ts";
import type { Unstorable } from "./not-storable.ts";
import { keySegment } from "./path.ts";
import type { ValueKind } from "./reader.ts";

/** What a host value that is no primitive can be stored as. */
export function nativeKindOf(value: unknown, codecs: readonly Codec[]): ValueKind | Unstorable {
  if (typeof value === "function") return unstorable("function", value.name);
  if (typeof value !== "object" || value === null) return unstorable("symbol", String(value));
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return symbolKeyOf(value) ?? "object";
  if (prototype === Array.prototype && Array.isArray(value)) return arrayKind(value);
  for (const codec of codecs) if (codec.matches(value)) return "codec";
  return builtInKind(value, prototype);
}

/**
 * One call tells all: the keys of an array are its indices, ascending, then the others. So if there are as
 * many keys as the length says and the last one is the last index, none is missing and none is added.
 */
function arrayKind(array: readonly unknown[]): ValueKind | Unstorable {
  const refused = symbolKeyOf(array);
  if (refused !== undefined) return refused;
  const { length } = array;
  const keys = Object.keys(array);
  return keys.length === length && (length === 0 || keys[length - 1] === String(length - 1)) ? "array" : "sparse";
}

/**
 * By brand and not by prototype, because values of other realms are ordinary: under a test runner that
 * gives every file a realm of its own, what Node's modules return comes from outside. A subclass is told
 * by the number of its prototypes.
 */
function builtInKind(value: object, prototype: object): ValueKind | Unstorable {
  if (value instanceof Error) return "error";
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const levels = prototypesFrom(prototype);
  switch (tag) {
    case "Object":
      if (levels === 1 && Object.hasOwn(prototype, "isPrototypeOf")) return symbolKeyOf(value) ?? "object";
      break;
    case "Array":
      if (levels === 2 && Array.isArray(value)) return arrayKind(value);
      break;
    case "Error":
      return "error";
    case "Date":
      if (levels === 2 || (levels === 3 && isFakeDate(prototype))) return contentOnly(value, tag) ?? "date";
      break;
    case "Map":
      if (levels === 2 && hasBrand(Map.prototype, "size", value)) return contentOnly(value, tag) ?? "map";
      break;
    case "Set":
      if (levels === 2 && hasBrand(Set.prototype, "size", value)) return contentOnly(value, tag) ?? "set";
      break;
    case "Uint8Array":
      // Node's Buffer is the one subclass accepted: files and sockets give nothing else.
      if (levels === 3 || (levels === 4 && constructorName(prototype) === "Buffer")) return "bytes";
      break;
    case "URL":
      if (prototype === URL.prototype) return contentOnly(value, tag) ?? "url";
      break;
    case "URLSearchParams":
      if (prototype === URLSearchParams.prototype) return contentOnly(value, tag) ?? "params";
      break;
  }
  return refusalOf(value, tag, constructorName(prototype));
}

/** Fake timers of test runners put a class of their own in the place of `Date`; it is a date to everyone. */
function isFakeDate(prototype: object): boolean {
  return prototype === Date.prototype || ["ClockDate", "MockDate"].includes(constructorName(prototype));
}

function refusalOf(value: object, tag: string, className: string): Unstorable {
  if (tag === "Promise") return unstorable("promise");
  if (tag === "RegExp") return unstorable("regexp");
  if (tag === "WeakMap" || tag === "WeakSet" || tag === "WeakRef") return unstorable("weak", tag);
  if (tag === "Generator" || tag === "AsyncGenerator" || tag.endsWith(" Iterator")) return unstorable("iterator");
  const isView = ArrayBuffer.isView(value) && className === tag;
  if (isView || tag === "ArrayBuffer" || tag === "SharedArrayBuffer") return unstorable("typed-array", tag);
  if (isStream(value, tag)) return unstorable("stream", className);
  return unstorable("class", className, { advice: classAdvice(className, hasMethods(value)) });
}

/** Of its class or one that this extends; accessors are not called to find out. */
function hasMethods(value: object): boolean {
  let at = Object.getPrototypeOf(value) as object | null;
  for (let count = 0; at !== null && !Object.hasOwn(at, "isPrototypeOf") && count < PROTOTYPES_MAX; count++) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(at));
    if (members.some(([name, member]) => name !== "constructor" && typeof member.value === "function")) return true;
    at = Object.getPrototypeOf(at) as object | null;
  }
  return false;
}

/** Node's streams by their method, the web's by brand. */
function isStream(value: object, tag: string): boolean {
  return ("pipe" in value && typeof value.pipe === "function") || /^(?:Readable|Writable|Transform)Stream$/.test(tag);
}

/** Refuses a property on an object of which only the content is stored, rather than lose it in silence. */
function contentOnly(value: object, className: string): Unstorable | undefined {
  const key = Object.keys(value)[0];
  if (key !== undefined) return unstorable("extra-property", className, { at: keySegment(key) });
  return symbolKeyOf(value);
}

function symbolKeyOf(value: object): Unstorable | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) return undefined;
  const key = symbols.find((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
  return key === undefined ? undefined : unstorable("symbol-key", String(key), { at: `[${String(key)}]` });
}

function prototypesFrom(start: object): number {
  let count = 0;
  for (let at: object | null = start; at !== null && count < PROTOTYPES_MAX; at = Object.getPrototypeOf(at)) count++;
  return count;
}

/** No built-in class has more than 4, and a proxy may invent prototypes for ever. */
const PROTOTYPES_MAX = 5;

/** Whether an accessor that only works on true instances of its class works on this one. */
function hasBrand(prototype: object, accessor: string, value: object): boolean {
  try {
    Object.getOwnPropertyDescriptor(prototype, accessor)?.get?.call(value);
    return true;
  } catch {
    return false;
  }
}
