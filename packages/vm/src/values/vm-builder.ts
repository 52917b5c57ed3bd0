import type { ValueBuilder } from "@cairnjs/ir";
import { bytesOf } from "../builtins/bytes-receiver.ts";
import { urlOf } from "../builtins/url.ts";
import { parseUrl } from "../builtins/url-parser.ts";
import { VMap, VSet } from "../heap/collection.ts";
import { VForeign } from "../heap/foreign.ts";
import { putHidden, putOwn } from "../heap/properties.ts";
import { VDate, VError, VUrlParams } from "../heap/data.ts";
import { PLAIN, type Primitive, VArray, type VObject, VPlain, type Value } from "../heap/value.ts";
import { EngineError, type HostContext } from "../machine/host.ts";
import type { Realm } from "../realm/realm.ts";
import { type ErrorClasses, errorPrototype, namesFrom, rememberNames } from "./error-names.ts";

/** An array of this many holes costs the host a dictionary, not memory per hole; more is refused. */
const HOLES_MAX = 50_000_000;
const ALLOCATED_HOLES_MAX = 1024;

/** Makes values of the VM's heap, each paid for before it exists. */
export class VmBuilder implements ValueBuilder<Value> {
  readonly #context: HostContext;
  readonly #realm: Realm;
  readonly #classes: ErrorClasses;

  constructor(context: HostContext, classes: ErrorClasses) {
    this.#context = context;
    this.#realm = context.realm;
    this.#classes = classes;
  }

  primitive(value: Primitive): Value {
    this.#context.charge(1, typeof value === "string" ? value.length : 0);
    return value;
  }

  object(): Value {
    this.#context.charge(4, 64);
    return new VPlain(this.#realm.objectPrototype);
  }

  define(target: Value, key: string, value: Value): void {
    const object = target as VObject;
    // Deleted first, so that a name given for want of the class does not keep its place before others.
    if (object instanceof VError) object.remove(key);
    putOwn(this.#context, object, key, value, PLAIN);
  }

  array(): Value {
    this.#context.charge(4, 64);
    return new VArray(this.#realm.arrayPrototype, []);
  }

  append(array: Value, value: Value): void {
    this.#context.charge(1, 8);
    (array as VArray).items.push(value);
  }

  sparse(length: number): Value {
    if (length > HOLES_MAX) {
      throw new EngineError("StateTooLarge", `An array of length ${length} is larger than a run may hold`);
    }
    this.#context.charge(4 + length / 16, 64);
    const items: Value[] = [];
    // The host allocates for a length, unless the array is a dictionary: an element at the far end makes it one.
    if (length > ALLOCATED_HOLES_MAX) {
      items[2 ** 32 - 2] = undefined;
      items.length = 2 ** 32 - 2;
    }
    items.length = length;
    return new VArray(this.#realm.arrayPrototype, items);
  }

  setElement(array: Value, index: number, value: Value): void {
    this.#context.charge(2, 8);
    (array as VArray).items[index] = value;
  }

  map(): Value {
    this.#context.charge(8, 128);
    return new VMap(this.#realm.prototype("Map"));
  }

  setEntry(map: Value, key: Value, value: Value): void {
    this.#context.charge(10, 48);
    (map as VMap).entries.set(key, value);
  }

  set(): Value {
    this.#context.charge(8, 128);
    return new VSet(this.#realm.prototype("Set"));
  }

  addMember(set: Value, value: Value): void {
    this.#context.charge(10, 40);
    (set as VSet).entries.set(value, undefined);
  }

  date(time: number): Value {
    this.#context.charge(4, 64);
    return new VDate(this.#realm.prototype("Date"), time);
  }

  bytes(bytes: Uint8Array): Value {
    this.#context.charge(8, 160 + bytes.length);
    return bytesOf(this.#context, bytes);
  }

  url(href: string): Value {
    this.#context.charge(100 + href.length * 4, 128 + href.length);
    const url = parseUrl(href, null);
    if (url === null) throw new NoUrl(href);
    return urlOf(this.#context, url);
  }

  params(pairs: readonly (readonly [string, string])[]): Value {
    let length = 0;
    for (const [name, value] of pairs) length += 48 + name.length + value.length;
    this.#context.charge(8 + pairs.length * 2, 64 + length);
    const copies = pairs.map(([name, value]): [string, string] => [name, value]);
    return new VUrlParams(this.#realm.prototype("URLSearchParams"), copies, null);
  }

  error(names: readonly string[], message: string | undefined): Value {
    const name = names[0]!;
    this.#context.charge(40, 256 + 2 * (message?.length ?? 0));
    const known = names.find((each) => errorPrototype(this.#realm, this.#classes, each) !== undefined) ?? "Error";
    const prototype = errorPrototype(this.#realm, this.#classes, known)!;
    const error = new VError(prototype);
    putHidden(error, "stack", message === undefined || message === "" ? name : `${name}: ${message}`);
    if (message !== undefined) putHidden(error, "message", message);
    if (name !== known) putHidden(error, "name", name);
    if (!sameNames(names, namesFrom(prototype))) rememberNames(error, names);
    return error;
  }

  setCause(error: Value, cause: Value): void {
    putHidden(error as VObject, "cause", cause);
  }

  setErrors(error: Value, errors: Value): void {
    putHidden(error as VObject, "errors", errors);
  }

  codec(name: string, payload: Value): Value {
    this.#context.charge(4, 96 + name.length);
    return new VForeign(this.#realm.objectPrototype, name, payload);
  }

  explain(thrown: unknown): string | undefined {
    return thrown instanceof NoUrl ? thrown.message : undefined;
  }
}

class NoUrl extends Error {
  constructor(href: string) {
    super(`${JSON.stringify(href.slice(0, 200))} is no URL`);
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
