import {
  type CodecParts,
  type ErrorParts,
  type Unstorable,
  type ValueKind,
  type ValueReader,
  unstorable,
} from "@cairnjs/ir";
import type { VMap, VSet } from "../heap/collection.ts";
import type { VDurable } from "../heap/durable.ts";
import type { VForeign } from "../heap/foreign.ts";
import { attributesOf, enumerableOwnKeys, getProperty, hasOwn } from "../heap/properties.ts";
import type { VBytes, VDate, VUrl, VUrlParams } from "../heap/data.ts";
import type { VBuiltin, VClass, VClosure } from "../heap/function.ts";
import { ENUMERABLE, Kind, type VArray, VIntrinsic, type VObject, type Value } from "../heap/value.ts";
import type { HostContext } from "../machine/host.ts";
import { hasRememberedNames, namesOf } from "./error-names.ts";

/** Reads values of the VM's heap. What is read is paid for, in fuel: the text is no part of the heap. */
export class VmReader implements ValueReader<Value> {
  readonly #context: HostContext;

  constructor(context: HostContext) {
    this.#context = context;
  }

  kindOf(value: Value): ValueKind | Unstorable {
    const object = value as VObject;
    this.#context.charge(8, 0);
    switch (object.kind) {
      case Kind.Object:
        return this.#isPlain(object) ? "object" : unstorable("class", "");
      case Kind.Intrinsic:
        return object === this.#context.realm.objectPrototype ? "object" : refusal(object);
      case Kind.Array:
        return arrayKind(object as VArray);
      case Kind.Error:
        return "error";
      case Kind.Bytes:
        return "bytes";
      case Kind.Date:
        return contentOnly(object, "Date") ?? "date";
      case Kind.Map:
        return contentOnly(object, "Map") ?? "map";
      case Kind.Set:
        return contentOnly(object, "Set") ?? "set";
      case Kind.Foreign:
        return "codec";
      case Kind.Url:
        return contentOnly(object, "URL") ?? "url";
      case Kind.UrlParams:
        return contentOnly(object, "URLSearchParams") ?? "params";
      default:
        return refusal(object);
    }
  }

  #isPlain(object: VObject): boolean {
    return object.proto === this.#context.realm.objectPrototype || object.proto === null;
  }

  keys(value: Value): readonly string[] {
    const object = value as VObject;
    const keys = object.kind === Kind.Array ? namedKeys(object) : enumerableOwnKeys(object);
    this.#context.charge(keys.length * 4, 0);
    return keys;
  }

  get(value: Value, key: string): Value {
    return this.#read(getProperty(this.#context, value as VObject, key));
  }

  length(value: Value): number {
    return (value as VArray).items.length;
  }

  at(value: Value, index: number): Value {
    return this.#read((value as VArray).items[index]);
  }

  indices(value: Value): readonly number[] {
    const indices = Object.keys((value as VArray).items).map(Number);
    this.#context.charge(indices.length * 4, 0);
    return indices;
  }

  entries(value: Value): readonly Value[] {
    const { entries } = value as VMap;
    this.#context.charge(entries.size * 4, 0);
    const list: Value[] = [];
    entries.forEach((key, each) => list.push(this.#read(key), this.#read(each)));
    return list;
  }

  members(value: Value): readonly Value[] {
    const { entries } = value as VSet;
    this.#context.charge(entries.size * 2, 0);
    const list: Value[] = [];
    entries.forEach((key) => list.push(this.#read(key)));
    return list;
  }

  time(value: Value): number {
    return (value as VDate).time;
  }

  bytes(value: Value): Uint8Array {
    const { bytes } = value as VBytes;
    this.#context.charge(bytes.length / 4, 0);
    return bytes;
  }

  href(value: Value): string {
    return (value as VUrl).href;
  }

  params(value: Value): readonly (readonly [string, string])[] {
    const { pairs } = value as VUrlParams;
    for (const [name, text] of pairs) this.#context.charge(8 + (name.length + text.length) / 8, 0);
    return pairs;
  }

  error(value: Value): ErrorParts {
    const error = value as VObject;
    const isDomException = error.proto instanceof VIntrinsic && error.proto.path === "DOMException.prototype";
    const message = isDomException || hasOwn(error, "message") ? this.get(error, "message") : undefined;
    const hasMessage = typeof message === "string";
    const keys = enumerableOwnKeys(error).filter(
      (key) => key !== "stack" && key !== "cause" && !(key === "message" && hasMessage),
    );
    const hasName = isDomException || (hasOwn(error, "name") && !hasRememberedNames(error));
    if (hasName && !keys.includes("name")) keys.unshift("name");
    if (message !== undefined && !hasMessage && !keys.includes("message")) keys.unshift("message");
    this.#context.charge(10 + keys.length * 4, 0);
    return {
      names: namesOf(error),
      message: hasMessage ? message : undefined,
      hasCause: hasOwn(error, "cause"),
      hasErrors: hasOwn(error, "errors") && (attributesOf(error, "errors") & ENUMERABLE) === 0,
      keys,
    };
  }

  codec(value: Value): CodecParts<Value> {
    const { codec, payload } = value as VForeign;
    return { name: codec, payload: this.#read(payload) };
  }

  explain(): undefined {
    return undefined;
  }

  #read(value: Value): Value {
    this.#context.charge(typeof value === "string" ? 2 + value.length / 8 : 2, 0);
    return value;
  }
}

function arrayKind(array: VArray): ValueKind {
  if (namedKeys(array).length > 0) return "sparse";
  const { items } = array;
  for (let index = 0; index < items.length; index++) if (!(index in items)) return "sparse";
  return "array";
}

/** Own enumerable keys that are no indices. */
function namedKeys(object: VObject): string[] {
  return object.keys().filter((key) => (attributesOf(object, key) & ENUMERABLE) !== 0);
}

/** Refuses a property on an object of which only the content is stored, rather than lose it in silence. */
function contentOnly(object: VObject, className: string): Unstorable | undefined {
  const key = namedKeys(object)[0];
  if (key === undefined) return undefined;
  const at = /^[A-Za-z_$][\w$]{0,79}$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 80))}]`;
  return unstorable("extra-property", className, { at });
}

function refusal(object: VObject): Unstorable {
  switch (object.kind) {
    case Kind.Closure: {
      const closure = object as VClosure;
      const name = closure.materialised ? closure.read("name") : (closure.givenName ?? closure.unit.meta.name);
      return unstorable("function", typeof name === "string" ? name : "");
    }
    case Kind.Builtin:
      return unstorable("function", (object as VBuiltin).path.replace(/^.*\./, ""));
    case Kind.Class:
      return unstorable("function", (object as VClass).name);
    case Kind.Durable:
      return unstorable("function", (object as VDurable).name);
    case Kind.Bound:
    case Kind.Resolver:
      return unstorable("function");
    case Kind.Promise:
      return unstorable("promise");
    case Kind.Iterator:
      return unstorable("iterator");
    case Kind.RegExp:
      return unstorable("regexp");
    case Kind.Encoder:
      return unstorable("class", "TextEncoder");
    case Kind.Decoder:
      return unstorable("class", "TextDecoder");
    case Kind.Intrinsic:
      return unstorable("class", (object as VIntrinsic).path);
    default:
      return unstorable("class", "");
  }
}
