import type { VMap, VSet } from "../heap/collection.ts";
import type { VBytes, VDate, VRegExp, VUrl, VUrlParams } from "../heap/data.ts";
import type { VDurable, VSignal } from "../heap/durable.ts";
import type { VForeign } from "../heap/foreign.ts";
import type { VBuiltin, VClass, VClosure } from "../heap/function.ts";
import type { VPromise } from "../heap/promise.ts";
import { enumerableOwnKeys } from "../heap/properties.ts";
import { Kind, type VArray, VObject, type Value } from "../heap/value.ts";
import { namesOf } from "../values/error-names.ts";

/** Stands for something that is no data: a function, a promise, or what is beyond the bounds. */
export class Shown {
  /** For people: `[Function add]`. */
  readonly text: string;
  /** What is known of what is inside. */
  readonly content: unknown;

  constructor(text: string, content?: unknown) {
    this.text = text;
    this.content = content;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return this.content === undefined ? this.text : { [this.text]: this.content };
  }
}

export interface ShowBounds {
  /** Objects within objects. */
  readonly depthMax: number;
  /** Elements, properties or entries of one object. */
  readonly itemsMax: number;
  readonly textLengthMax: number;
  /** Of all together. */
  readonly valuesMax: number;
}

export const defaultBounds: ShowBounds = { depthMax: 8, itemsMax: 100, textLengthMax: 1_000, valuesMax: 20_000 };

/**
 * Makes values of the machine values of the host, for people: what is data comes as itself, and an object that occurs twice,
 * or in itself, is one object here too. Reads without running anything of the program.
 */
export class ValueShower {
  readonly #bounds: ShowBounds;
  readonly #made = new Map<VObject, unknown>();
  #left: number;

  constructor(bounds: ShowBounds) {
    this.#bounds = bounds;
    this.#left = bounds.valuesMax;
  }

  show(value: Value, depth = 0): unknown {
    if (typeof value === "string") return this.#text(value);
    if (!(value instanceof VObject)) return value;
    if (this.#made.has(value)) return this.#made.get(value);
    if (depth >= this.#bounds.depthMax || this.#left <= 0) return new Shown(`[${nameOfKind(value)} …]`);
    return this.#object(value, depth + 1);
  }

  #text(text: string): string {
    const { textLengthMax } = this.#bounds;
    if (text.length <= textLengthMax) return text;
    return `${text.slice(0, textLengthMax)}… (${text.length} characters)`;
  }

  #object(object: VObject, depth: number): unknown {
    switch (object.kind) {
      case Kind.Array:
        return this.#array(object as VArray, depth);
      case Kind.Map:
        return this.#map(object as VMap, depth);
      case Kind.Set:
        return this.#set(object as VSet, depth);
      case Kind.Date:
        return this.#keep(object, new Date((object as VDate).time));
      case Kind.RegExp:
        return new Shown(`/${(object as VRegExp).source}/${(object as VRegExp).flags}`);
      case Kind.Bytes:
        return this.#bytes(object as VBytes);
      case Kind.Url:
        return new Shown(`[URL ${this.#text((object as VUrl).href)}]`);
      case Kind.UrlParams:
        return new Shown("[URLSearchParams]", (object as VUrlParams).pairs.slice(0, this.#bounds.itemsMax));
      case Kind.Error:
        return this.#error(object, depth);
      case Kind.Promise:
        return this.#promise(object as VPromise, depth);
      case Kind.Foreign:
        return new Shown(`[${(object as VForeign).codec}]`, this.show((object as VForeign).payload, depth));
      case Kind.Object:
        return this.#properties(object, depth);
      default:
        return new Shown(`[${nameOfKind(object)}]`);
    }
  }

  #keep<T>(object: VObject, made: T): T {
    this.#made.set(object, made);
    this.#left -= 1;
    return made;
  }

  /** How many of so many are shown. */
  #count(length: number): number {
    const count = Math.min(length, this.#bounds.itemsMax, Math.max(0, this.#left));
    this.#left -= count;
    return count;
  }

  #array(array: VArray, depth: number): unknown[] {
    const { items } = array;
    const made: unknown[] = this.#keep(array, []);
    const count = this.#count(items.length);
    for (let index = 0; index < count; index++) made[index] = this.show(items[index], depth);
    if (count < items.length) made.push(more(items.length - count));
    return made;
  }

  #map(map: VMap, depth: number): Map<unknown, unknown> {
    const { entries } = map;
    const made = this.#keep(map, new Map<unknown, unknown>());
    const count = this.#count(entries.size);
    let taken = 0;
    entries.forEach((key, value) => {
      if (taken++ < count) made.set(this.show(key, depth), this.show(value, depth));
    });
    if (count < entries.size) made.set(more(entries.size - count), undefined);
    return made;
  }

  #set(set: VSet, depth: number): Set<unknown> {
    const { entries } = set;
    const made = this.#keep(set, new Set<unknown>());
    const count = this.#count(entries.size);
    let taken = 0;
    entries.forEach((key) => {
      if (taken++ < count) made.add(this.show(key, depth));
    });
    if (count < entries.size) made.add(more(entries.size - count));
    return made;
  }

  #bytes(object: VBytes): unknown {
    const { textLengthMax } = this.#bounds;
    const { bytes } = object;
    if (bytes.length <= textLengthMax) return this.#keep(object, bytes.slice());
    return new Shown(`[Uint8Array of ${bytes.length} bytes]`, bytes.slice(0, textLengthMax));
  }

  #error(error: VObject, depth: number): Shown {
    const [name = "Error"] = namesOf(error);
    const message = error.read("message");
    const text = typeof message === "string" && message !== "" ? `${name}: ${this.#text(message)}` : name;
    const own = this.#properties(error, depth);
    return this.#keep(error, Object.keys(own).length === 0 ? new Shown(text) : new Shown(text, own));
  }

  #promise(promise: VPromise, depth: number): Shown {
    if (promise.state === "pending") return this.#keep(promise, new Shown("[Promise, pending]"));
    return new Shown(`[Promise, ${promise.state}]`, this.show(promise.value, depth));
  }

  #properties(object: VObject, depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = this.#keep(object, {});
    const keys = enumerableOwnKeys(object);
    const count = this.#count(keys.length);
    const define = (key: string, value: unknown): void =>
      void Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
    for (const key of keys.slice(0, count)) define(key, this.show(object.read(key), depth));
    if (count < keys.length) define("…", more(keys.length - count));
    return made;
  }
}

function more(count: number): Shown {
  return new Shown(`… ${count} more`);
}

/** What people would call it. */
function nameOfKind(object: VObject): string {
  switch (object.kind) {
    case Kind.Array:
      return "Array";
    case Kind.Map:
      return "Map";
    case Kind.Set:
      return "Set";
    case Kind.Closure:
      return functionName((object as VClosure).givenName ?? (object as VClosure).unit.meta.name);
    case Kind.Builtin:
      return functionName((object as VBuiltin).path);
    case Kind.Class:
      return `class ${(object as VClass).name}`;
    case Kind.Durable:
      return `${(object as VDurable).durable} ${(object as VDurable).name}`.trim();
    case Kind.Signal:
      return `signal ${(object as VSignal).name}`;
    case Kind.Bound:
    case Kind.Resolver:
      return "Function";
    case Kind.Iterator:
      return "Iterator";
    default:
      return "Object";
  }
}

function functionName(name: string): string {
  return name === "" ? "Function" : `Function ${name}`;
}
