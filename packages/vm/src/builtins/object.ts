import { sameValue } from "../heap/durable.ts";
import { KEY_FUEL, defineField, enumerableOwnKeys, getOwn, ownKeys, setProperty } from "../heap/properties.ts";
import { VBytes } from "../heap/data.ts";
import { ENUMERABLE, Kind, VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { newArray } from "./array-like.ts";
import type { HostTable } from "./host-table.ts";
import { defineFromDescriptor, defineFromDescriptors, descriptorOf } from "./object-descriptor.ts";
import { integrityBuiltins } from "./object-integrity.ts";
import { printed, tagOf } from "./printed.ts";
import { chargeEquality, toText } from "./string-conversion.ts";

export const objectBuiltins: HostTable = {
  Object: {
    call: (context, _self, args) => construct(context, args[0]),
    construct: (context, _, args) => construct(context, args[0]),
  },
  "Object.assign": { call: assign },
  "Object.create": { call: create },
  "Object.defineProperties": {
    call(context, _self, args) {
      if (!(args[0] instanceof VObject))
        throwError(context, "TypeError", "Object.defineProperties called on non-object");
      return defineFromDescriptors(context, args[0], args[1]);
    },
  },
  "Object.defineProperty": {
    call(context, _self, args) {
      if (!(args[0] instanceof VObject)) throwError(context, "TypeError", "Object.defineProperty called on non-object");
      defineFromDescriptor(context, args[0], toText(context, args[1]), args[2]);
      return args[0];
    },
  },
  "Object.entries": {
    call: (context, _self, args) =>
      listProperties(context, args[0], (key, value) => {
        context.charge(1, 80);
        return newArray(context, [key, value]);
      }),
  },
  "Object.getOwnPropertyDescriptor": {
    call(context, _self, args) {
      const own = ownPropertyOf(context, args[0], toText(context, args[1]));
      return own === undefined ? undefined : descriptorOf(context, own, toText(context, args[1]));
    },
  },
  "Object.getOwnPropertyDescriptors": { call: getDescriptors },
  "Object.getOwnPropertyNames": { call: (context, _self, args) => newArray(context, allKeys(context, args[0])) },
  "Object.getPrototypeOf": { call: (context, _self, args) => prototypeOf(context, args[0]) },
  "Object.hasOwn": {
    call: (context, _self, args) => ownPropertyOf(context, args[0], toText(context, args[1])) !== undefined,
  },
  "Object.is": {
    call(context, _self, args) {
      chargeEquality(context, args[0], args[1]);
      return sameValue(args[0], args[1]);
    },
  },
  "Object.keys": { call: (context, _self, args) => newArray(context, enumerableKeys(context, args[0])) },
  "Object.values": { call: (context, _self, args) => listProperties(context, args[0], (_, value) => value) },
  ...integrityBuiltins,
  "Object.prototype.hasOwnProperty": {
    call: (context, self, args) => ownPropertyOf(context, self, toText(context, args[0])) !== undefined,
  },
  "Object.prototype.isPrototypeOf": { call: isPrototypeOf },
  "Object.prototype.propertyIsEnumerable": {
    call(context, self, args) {
      const own = ownPropertyOf(context, self, toText(context, args[0]));
      return own !== undefined && (own.attributes & ENUMERABLE) !== 0;
    },
  },
  "Object.prototype.toString": {
    call(context, self) {
      // V8's Array.prototype is an array, and so on: the tags of intrinsics are told by path.
      context.charge(2, 24);
      return `[object ${tagOf(self)}]`;
    },
  },
  "Object.prototype.valueOf": { call: (context, self) => toObject(context, self) },
  undefined: { value: undefined },
};

/** TypeError for null and undefined; other primitives would have to be boxed. */
function toObject(context: HostContext, value: Value): VObject {
  if (value instanceof VObject) return value;
  requireCoercible(context, value);
  unsupported(`a boxed ${typeof value}`);
}

function requireCoercible(context: HostContext, value: Value): void {
  if (value === undefined || value === null) {
    throwError(context, "TypeError", "Cannot convert undefined or null to object");
  }
}

function construct(context: HostContext, value: Value): Value {
  if (value !== undefined && value !== null) return toObject(context, value);
  context.charge(1, 48);
  return new VPlain(context.realm.objectPrototype);
}

function assign(context: HostContext, _self: Value, args: readonly Value[]): Value {
  const target = toObject(context, args[0]);
  for (let at = 1; at < args.length; at++) {
    const source = args[at];
    if (source === undefined || source === null) continue;
    for (const key of enumerableKeys(context, source)) {
      const own = ownPropertyOf(context, source, key);
      if (own === undefined || (own.attributes & ENUMERABLE) === 0) continue;
      context.charge(3, 0);
      setProperty(context, target, key, readable(own.value, key));
    }
  }
  return target;
}

function create(context: HostContext, _self: Value, args: readonly Value[]): Value {
  const prototype = args[0];
  if (!(prototype instanceof VObject) && prototype !== null) {
    throwError(context, "TypeError", `Object prototype may only be an Object or null: ${printed(context, prototype)}`);
  }
  if (prototype !== null && prototype !== context.realm.objectPrototype) unsupported("Object.create with a prototype");
  context.charge(2, 48);
  const made = new VPlain(prototype);
  return args[1] === undefined ? made : defineFromDescriptors(context, made, args[1]);
}

/** An own property of any value that is neither null nor undefined. */
function ownPropertyOf(context: HostContext, value: Value, key: string): ReturnType<typeof getOwn> {
  if (value instanceof VObject) return getOwn(value, key);
  requireCoercible(context, value);
  if (typeof value !== "string") return undefined;
  if (key === "length") return { value: value.length, attributes: 0 };
  const index = key.length < 32 ? Number(key) : -1;
  if (String(index) !== key || !Number.isInteger(index) || index < 0 || index >= value.length) return undefined;
  return { value: value[index], attributes: ENUMERABLE };
}

function allKeys(context: HostContext, value: Value): string[] {
  if (value instanceof VObject) {
    chargeElements(context, value);
    return charged(context, ownKeys(value));
  }
  requireCoercible(context, value);
  return typeof value === "string" ? [...stringIndices(context, value), "length"] : [];
}

function enumerableKeys(context: HostContext, value: Value): string[] {
  if (value instanceof VObject) {
    chargeElements(context, value);
    return charged(context, enumerableOwnKeys(value));
  }
  requireCoercible(context, value);
  return typeof value === "string" ? stringIndices(context, value) : [];
}

/** The keys of elements are texts made on the spot. */
function chargeElements(context: HostContext, object: VObject): void {
  let count = 0;
  if (object instanceof VArray) count = object.items.length;
  if (object instanceof VBytes) count = object.bytes.length;
  context.charge(count * 8, count * 16);
}

function stringIndices(context: HostContext, text: string): string[] {
  context.charge(text.length * 8, text.length * 16);
  return Object.keys(text);
}

function charged(context: HostContext, keys: string[]): string[] {
  context.charge(1 + keys.length * KEY_FUEL, keys.length * 8);
  return keys;
}

function listProperties(context: HostContext, object: Value, item: (key: string, value: Value) => Value): Value {
  const items: Value[] = [];
  for (const key of enumerableKeys(context, object)) {
    const own = ownPropertyOf(context, object, key)!;
    context.charge(2, 8);
    items.push(item(key, readable(own.value, key)));
  }
  return newArray(context, items);
}

/** Accessors and unsupported names of intrinsics are objects that a program must not see. */
function readable(value: Value, key: string): Value {
  if (value instanceof VObject && value.kind === Kind.Getter) unsupported(`the built-in property '${key}'`);
  return value;
}

function getDescriptors(context: HostContext, _self: Value, args: readonly Value[]): Value {
  const result = new VPlain(context.realm.objectPrototype);
  for (const key of allKeys(context, args[0])) {
    const own = ownPropertyOf(context, args[0], key);
    if (own !== undefined) defineField(context, result, key, descriptorOf(context, own, key));
  }
  return result;
}

function prototypeOf(context: HostContext, value: Value): VObject | null {
  if (value instanceof VObject) return value.proto;
  requireCoercible(context, value);
  const { realm } = context;
  switch (typeof value) {
    case "string":
      return realm.stringPrototype;
    case "number":
      return realm.numberPrototype;
    case "boolean":
      return realm.booleanPrototype;
    default:
      return realm.bigintPrototype;
  }
}

function isPrototypeOf(context: HostContext, self: Value, args: readonly Value[]): boolean {
  const object = args[0];
  if (!(object instanceof VObject)) return false;
  const prototype = toObject(context, self);
  for (let at = object.proto; at !== null; at = at.proto) if (at === prototype) return true;
  return false;
}
