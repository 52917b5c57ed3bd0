import { getProperty, putHidden } from "../../src/heap/properties.ts";
import { VDate, VError, VRegExp } from "../../src/heap/data.ts";
import { VBuiltin } from "../../src/heap/function.ts";
import { VArray, VObject, VPlain, type Value } from "../../src/heap/value.ts";
import { type HostContext, Thrown } from "../../src/machine/host.ts";
import type { Realm } from "../../src/realm/realm.ts";

/** Enough of a machine to run built-ins by themselves: plain prototypes, an endless tank, a fixed clock. */
export interface FakeContext extends HostContext {
  fuel: number;
  bytes: number;
  touched: VObject[];
}

export function fakeContext(): FakeContext {
  const prototypes = new Map<string, VObject>();
  const prototype = (name: string): VObject => {
    let found = prototypes.get(name);
    if (found === undefined) {
      found = new VPlain(name === "Object" ? null : prototype("Object"));
      const none = { call: null, construct: null, prelude: null, constructPrelude: null, coerce: "" };
      putHidden(found, "constructor", new VBuiltin(null, name, none));
      prototypes.set(name, found);
    }
    return found;
  };
  const realm = {
    intrinsics: new Map(),
    definitions: new Map(),
    objectPrototype: prototype("Object"),
    arrayPrototype: prototype("Array"),
    stringPrototype: prototype("String"),
    numberPrototype: prototype("Number"),
    booleanPrototype: prototype("Boolean"),
    prototype,
  } as unknown as Realm;
  const none = { call: null, construct: null, prelude: null, constructPrelude: null, coerce: "" };
  putHidden(prototype("Date"), "toJSON", new VBuiltin(null, "Date.prototype.toJSON", none));
  putHidden(prototype("URL"), "toJSON", new VBuiltin(null, "URL.prototype.toJSON", none));
  const context: FakeContext = {
    realm,
    fuel: 0,
    bytes: 0,
    touched: [],
    charge(fuel, bytes) {
      if (!(fuel >= 0) || !(bytes >= 0)) throw new Error(`charged ${fuel} fuel and ${bytes} bytes`);
      context.fuel += fuel;
      context.bytes += bytes;
    },
    now: () => 1_700_000_000_000,
    random: () => 0.5,
    touch: (object) => void context.touched.push(object),
    newError(className, message) {
      const error = new VError(prototype(className));
      putHidden(error, "message", message);
      putHidden(error, "name", className);
      return error;
    },
    preludeUnit() {
      throw new Error("there is no prelude here");
    },
  };
  return context;
}

/** Native data as values of the VM: plain objects, arrays with holes, dates, regular expressions. */
export function toVm(context: HostContext, value: unknown, seen = new Map<object, VObject>()): Value {
  if (typeof value !== "object" || value === null) return value as Value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (value instanceof Date) return new VDate(context.realm.prototype("Date"), value.getTime());
  if (value instanceof RegExp) return new VRegExp(context.realm.prototype("RegExp"), value.source, value.flags);
  if (Array.isArray(value)) {
    const array = new VArray(context.realm.arrayPrototype, []);
    seen.set(value, array);
    array.items.length = value.length;
    for (const index of Object.keys(value)) array.items[Number(index)] = toVm(context, value[Number(index)], seen);
    return array;
  }
  const object = new VPlain(Object.getPrototypeOf(value) === null ? null : context.realm.objectPrototype);
  seen.set(value, object);
  for (const [key, member] of Object.entries(value)) object.write(key, toVm(context, member, seen));
  return object;
}

/** Data of the VM as native data: what a comparison with native results needs. */
export function toNative(context: HostContext, value: Value): unknown {
  if (!(value instanceof VObject)) return value;
  if (value instanceof VError) return new NativeError(String(value.read("name")), String(value.read("message")));
  if (value instanceof VDate) return new Date(value.time);
  const target: Record<string, unknown> | unknown[] =
    value instanceof VArray ? [] : value.proto === null ? Object.create(null) : {};
  if (value instanceof VArray) {
    (target as unknown[]).length = value.items.length;
    value.items.forEach((item, index) => ((target as unknown[])[index] = toNative(context, item)));
  }
  for (const key of value.keys()) {
    const member = toNative(context, getProperty(context, value, key));
    Object.defineProperty(target, key, { value: member, writable: true, enumerable: true, configurable: true });
  }
  return target;
}

/** An error of either side, for comparing class and message. */
class NativeError {
  readonly name: string;
  readonly message: string;

  constructor(name: string, message: string) {
    this.name = name;
    this.message = message;
  }
}

/** The result of a call on either side, errors as data. */
export function outcome(context: HostContext, run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Thrown) return { error: toNative(context, error.value) };
    if (error instanceof Error && error.constructor.name !== "EngineError") {
      return { error: new NativeError(error.name, error.message) };
    }
    throw error;
  }
}
