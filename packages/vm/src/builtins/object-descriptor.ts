import { sameValue } from "../heap/durable.ts";
import { enumerableOwnKeys, getOwn, getProperty, hasProperty, type OwnProperty, putOwn } from "../heap/properties.ts";
import { indexOfKey } from "../heap/array-elements.ts";
import { setElement, setLength } from "../heap/array-elements.ts";
import type { VBytes } from "../heap/data.ts";
import {
  CONFIGURABLE,
  ENUMERABLE,
  Kind,
  PLAIN,
  type VArray,
  VObject,
  VPlain,
  type Value,
  WRITABLE,
} from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import { toNumber } from "./number-conversion.ts";
import { printed } from "./printed.ts";

/** A data descriptor as it was given: `mask` has the attributes that it mentions, `attributes` their values. */
interface Descriptor {
  readonly hasValue: boolean;
  readonly value: Value;
  readonly mask: number;
  readonly attributes: number;
}

/** `{ value, writable, enumerable, configurable }` of an own property. */
export function descriptorOf(context: HostContext, own: OwnProperty, key: string): VPlain {
  if (own.value instanceof VObject && own.value.kind === Kind.Getter)
    unsupported(`the descriptor of the built-in '${key}'`);
  context.charge(4, 120);
  const made = new VPlain(context.realm.objectPrototype);
  made.write("value", own.value);
  made.write("writable", (own.attributes & WRITABLE) !== 0);
  made.write("enumerable", (own.attributes & ENUMERABLE) !== 0);
  made.write("configurable", (own.attributes & CONFIGURABLE) !== 0);
  return made;
}

export function defineFromDescriptor(context: HostContext, object: VObject, key: string, description: Value): void {
  define(context, object, key, readDescriptor(context, description));
}

/** All descriptions are read before the first property is defined. */
export function defineFromDescriptors(context: HostContext, object: VObject, descriptions: Value): VObject {
  if (descriptions === undefined || descriptions === null) {
    throwError(context, "TypeError", "Cannot convert undefined or null to object");
  }
  // A string has its characters as own properties, none of them a description; other primitives have none.
  if (typeof descriptions === "string" && descriptions !== "") readDescriptor(context, descriptions[0]);
  if (!(descriptions instanceof VObject)) return object;
  const read = enumerableOwnKeys(descriptions).map(
    (key) => [key, readDescriptor(context, getOwn(descriptions, key)?.value)] as const,
  );
  for (const [key, descriptor] of read) define(context, object, key, descriptor);
  return object;
}

function readDescriptor(context: HostContext, description: Value): Descriptor {
  if (!(description instanceof VObject)) {
    throwError(context, "TypeError", `Property description must be an object: ${printed(context, description)}`);
  }
  context.charge(6, 0);
  let mask = 0;
  let attributes = 0;
  const flag = (name: string, bit: number): void => {
    if (!hasProperty(description, name)) return;
    mask |= bit;
    if (truthy(getProperty(context, description, name))) attributes |= bit;
  };
  flag("enumerable", ENUMERABLE);
  flag("configurable", CONFIGURABLE);
  const hasValue = hasProperty(description, "value");
  const value = hasValue ? getProperty(context, description, "value") : undefined;
  flag("writable", WRITABLE);
  refuseAccessor(context, description, hasValue || (mask & WRITABLE) !== 0);
  return { hasValue, value, mask, attributes };
}

function refuseAccessor(context: HostContext, description: VObject, isData: boolean): void {
  let accessor = false;
  for (const [name, label] of [
    ["get", "Getter"],
    ["set", "Setter"],
  ] as const) {
    if (!hasProperty(description, name)) continue;
    accessor = true;
    const method = getProperty(context, description, name);
    if (method !== undefined && !isCallable(method)) {
      throwError(context, "TypeError", `${label} must be a function: ${printed(context, method)}`);
    }
  }
  if (!accessor) return;
  if (isData) {
    const rule = "Cannot both specify accessors and a value or writable attribute";
    throwError(context, "TypeError", `Invalid property descriptor. ${rule}, ${printed(context, description)}`);
  }
  unsupported("a property with a getter or setter");
}

function truthy(value: Value): boolean {
  return value instanceof VObject || Boolean(value);
}

function define(context: HostContext, object: VObject, key: string, descriptor: Descriptor): void {
  context.touch(object);
  if (object.kind === Kind.Array) {
    if (key === "length") return defineLength(context, object as VArray, descriptor);
    if (indexOfKey(key) >= 0) return defineElement(context, object as VArray, indexOfKey(key), descriptor);
  }
  if (object.kind === Kind.Bytes && indexOfKey(key) >= 0) return defineByte(context, object as VBytes, key, descriptor);
  const own = getOwn(object, key);
  if (own === undefined) {
    if (!object.extensible) throwError(context, "TypeError", `Cannot define property ${key}, object is not extensible`);
    putOwn(context, object, key, descriptor.value, descriptor.attributes);
    return;
  }
  validate(context, own, key, descriptor);
  const attributes = (own.attributes & ~descriptor.mask) | descriptor.attributes;
  putOwn(context, object, key, descriptor.hasValue ? descriptor.value : own.value, attributes);
}

/** TypeError when a property that is not configurable would change. */
function validate(context: HostContext, own: OwnProperty, key: string, descriptor: Descriptor): void {
  if ((own.attributes & CONFIGURABLE) !== 0) return;
  const changes = (own.attributes ^ descriptor.attributes) & descriptor.mask;
  const onlyLosesWritable = changes === WRITABLE && (own.attributes & WRITABLE) !== 0;
  const keepsValue = !descriptor.hasValue || sameValue(own.value, descriptor.value);
  if (changes !== 0 && !onlyLosesWritable) cannotRedefine(context, key);
  if ((own.attributes & WRITABLE) === 0 && !keepsValue) cannotRedefine(context, key);
}

function cannotRedefine(context: HostContext, key: string): never {
  throwError(context, "TypeError", `Cannot redefine property: ${key}`);
}

function defineLength(context: HostContext, array: VArray, descriptor: Descriptor): void {
  const { hasValue, value, mask, attributes } = descriptor;
  if (value instanceof VObject) unsupported("defining an array's length as an object");
  const length = hasValue ? toNumber(context, value) : array.items.length;
  if (length >>> 0 !== length) throwError(context, "RangeError", "Invalid array length");
  const own = getOwn(array, "length")!;
  validate(context, own, "length", { ...descriptor, value: length });
  if (length !== array.items.length) setLength(context, array, length);
  if ((mask & WRITABLE) !== 0 && (attributes & WRITABLE) === 0) array.lengthFixed = true;
}

/** Elements are all plain, all sealed or all frozen: attributes of a single one cannot be kept. */
function defineElement(context: HostContext, array: VArray, index: number, descriptor: Descriptor): void {
  const own = getOwn(array, String(index));
  if (own === undefined) {
    if (!array.extensible || (array.lengthFixed && index >= array.items.length)) {
      throwError(context, "TypeError", `Cannot define property ${index}, object is not extensible`);
    }
    if (descriptor.attributes !== PLAIN) unsupported("an array element with attributes of its own");
    setElement(context, array, index, descriptor.value);
    return;
  }
  validate(context, own, String(index), descriptor);
  if (((own.attributes ^ descriptor.attributes) & descriptor.mask) !== 0)
    unsupported("an array element with attributes of its own");
  if (descriptor.hasValue && !array.frozen) setElement(context, array, index, descriptor.value);
}

function defineByte(context: HostContext, object: VBytes, key: string, descriptor: Descriptor): void {
  const index = indexOfKey(key);
  if (index >= object.bytes.length) throwError(context, "TypeError", "Invalid typed array index");
  if ((descriptor.mask & ~descriptor.attributes) !== 0) cannotRedefine(context, key);
  if (!descriptor.hasValue) return;
  // The memory is the buffer's, which other views may share.
  context.touch(object.buffer);
  object.bytes[index] = toNumber(context, descriptor.value);
}
