import { VForeign } from "../heap/foreign.ts";
import { VBuffer, VBytes, VDate, VError, VRegExp } from "../heap/data.ts";
import { Kind, VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { readProperties, writeProperties } from "./layout-properties.ts";
import type { HeapObject, In, Layout, Mutable, Out } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Layouts of what programs call data: objects, errors, arrays, dates, bytes, expressions. */

function writeProto(object: VObject, out: Out): void {
  out.value(object.proto);
}

/** Only what cannot be changed may be inherited from: intrinsic prototypes, and those of the program's classes. */
function readProto(from: In): VObject | null {
  const proto = from.slot();
  if (proto === null) return null;
  if (!(proto instanceof VObject) || !proto.captured) invalid("a prototype that is not one");
  return proto;
}

const plain: Layout<VPlain> = {
  shell: writeProto,
  make: (from) => new VPlain(readProto(from)),
  body: writeProperties,
  fill: readProperties,
};

const error: Layout<VError> = {
  shell(object, out) {
    writeProto(object, out);
    out.uint(object.trace.length);
    for (const number of object.trace) out.uint(number);
  },
  make(from) {
    const made = new VError(readProto(from));
    const count = from.count();
    if (count % 2 !== 0) invalid("an odd trace");
    made.trace = Array.from({ length: count }, () => from.uint());
    return made;
  },
  body: writeProperties,
  fill: readProperties,
};

/** A list of all indices would cost more than the elements. */
function hasHole(items: readonly Value[]): boolean {
  for (let index = 0; index < items.length; index++) {
    if (items[index] === undefined && !(index in items)) return true;
  }
  return false;
}

/** Runs of values between holes: a length of 2^32 − 1 with one element costs a few bytes. */
const array: Layout<VArray> = {
  shell() {},
  make: (from) => new VArray(from.image.realm.arrayPrototype, []),
  body(object, out) {
    writeProperties(object, out);
    out.byte((object.frozen ? 1 : 0) | (object.sealed ? 2 : 0) | (object.lengthFixed ? 4 : 0));
    const { items } = object;
    out.uint(items.length);
    const isDense = !hasHole(items);
    out.byte(isDense ? 0 : 1);
    if (isDense) {
      for (const item of items) out.value(item);
      return;
    }
    const keys = Object.keys(items);
    out.uint(keys.length);
    for (const key of keys) {
      out.uint(Number(key));
      out.value(items[Number(key)]);
    }
  },
  fill(object, from) {
    readProperties(object, from);
    const flags = from.byte();
    if (flags > 7) invalid("flags of no array");
    object.frozen = (flags & 1) !== 0;
    object.sealed = (flags & 2) !== 0;
    object.lengthFixed = (flags & 4) !== 0;
    const length = from.uint();
    if (length > 4294967295) invalid("an array that is too long");
    object.items = [];
    if (!from.boolean()) {
      if (length > from.left) invalid("it counts more than it holds");
      for (let index = 0; index < length; index++) object.items.push(from.value());
      return;
    }
    const count = from.count();
    object.items.length = length;
    for (let position = 0; position < count; position++) {
      const index = from.uint();
      if (index >= length) invalid("an element beyond the array's end");
      object.items[index] = from.value();
    }
  },
};

const date: Layout<VDate> = {
  shell() {},
  make: (from) => new VDate(from.image.realm.prototype("Date"), Number.NaN),
  body(object, out) {
    writeProperties(object, out);
    out.double(object.time);
  },
  fill(object, from) {
    readProperties(object, from);
    object.time = from.double();
  },
};

const buffer: Layout<VBuffer> = {
  shell(object, out) {
    out.bytes(object.data);
  },
  make: (from) => new VBuffer(from.image.realm.objectPrototype, from.bytes()),
  body(object, out) {
    out.bytes(object.data);
  },
  fill(object, from) {
    const data = from.bytes();
    if (data.length !== object.data.length) invalid("bytes of another length");
    object.data.set(data);
  },
};

const bytes: Layout<VBytes> = {
  shell() {},
  make(from) {
    const empty = new VBuffer(from.image.realm.objectPrototype, new Uint8Array());
    return new VBytes(from.image.realm.prototype("Uint8Array"), empty, empty.data);
  },
  body(object, out) {
    writeProperties(object, out);
    out.value(object.buffer);
    out.uint(object.bytes.byteOffset - object.buffer.data.byteOffset);
    out.uint(object.bytes.length);
  },
  fill(object, from) {
    readProperties(object, from);
    const owner = from.object(VBuffer);
    const start = from.uint();
    const length = from.uint();
    if (start + length > owner.data.length) invalid("a view beyond its bytes");
    (object as Mutable<VBytes>).buffer = owner;
    object.bytes = owner.data.subarray(start, start + length);
  },
};

const regexp: Layout<VRegExp> = {
  shell(object, out) {
    out.key(object.source);
    out.key(object.flags);
  },
  make(from) {
    const source = from.key();
    return new VRegExp(from.image.realm.prototype("RegExp"), source, from.key());
  },
  body: writeProperties,
  fill: readProperties,
};

const foreign: Layout<VForeign> = {
  shell(object, out) {
    out.key(object.codec);
  },
  make(from) {
    return new VForeign(from.image.realm.objectPrototype, from.key(), undefined);
  },
  body(object, out) {
    out.value(object.payload);
  },
  fill(object, from) {
    object.payload = from.value();
  },
};

export const dataLayouts: Readonly<Record<number, Layout<HeapObject> | undefined>> = {
  [Kind.Object]: plain,
  [Kind.Array]: array,
  [Kind.Error]: error,
  [Kind.Date]: date,
  [Kind.Buffer]: buffer,
  [Kind.Bytes]: bytes,
  [Kind.RegExp]: regexp,
  [Kind.Foreign]: foreign,
};
