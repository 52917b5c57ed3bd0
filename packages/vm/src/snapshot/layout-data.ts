import { type IteratorMode, type IteratorSource, VIterator, VMap, VSet, type Entries } from "../heap/collection.ts";
import { VForeign } from "../heap/foreign.ts";
import {
  Kind,
  VArray,
  VBuffer,
  VBytes,
  VDate,
  VDecoder,
  VEncoder,
  VError,
  VObject,
  VPlain,
  VRegExp,
  VUrl,
  VUrlParams,
  type Value,
} from "../heap/value.ts";
import { readProperties, writeProperties } from "./layout-properties.ts";
import type { HeapObject, In, Layout, Mutable, Out } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Layouts of what programs call data. */

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

/** What an entry of a Map or Set takes beside its key and value: an index, a serial number, marks. */
const ENTRY_BYTES = 64;

/** Each entry with the gap that deletions left before it: cursors are serial numbers, so these must survive. */
function writeEntries(entries: Entries, out: Out, write: (key: Value, value: Value) => void): void {
  out.uint(entries.size);
  out.weigh(entries.size * ENTRY_BYTES);
  let next = 0;
  entries.forEach((key, value, serial) => {
    out.uint(serial - next);
    next = serial + 1;
    write(key, value);
  });
  out.uint(entries.serial - next);
}

function readEntries(entries: Entries, from: In, read: () => void): void {
  entries.reset();
  const count = from.count();
  for (let index = 0; index < count; index++) {
    entries.skip(from.uint());
    read();
    if (entries.size !== index + 1) invalid("a key that stands twice");
  }
  entries.skip(from.uint());
}

const map: Layout<VMap> = {
  shell() {},
  make: (from) => new VMap(from.image.realm.prototype("Map")),
  body(object, out) {
    writeProperties(object, out);
    writeEntries(object.entries, out, (key, value) => {
      out.value(key);
      out.value(value);
    });
  },
  fill(object, from) {
    readProperties(object, from);
    readEntries(object.entries, from, () => {
      const key = from.value();
      object.entries.set(key, from.value());
    });
  },
};

const set: Layout<VSet> = {
  shell() {},
  make: (from) => new VSet(from.image.realm.prototype("Set")),
  body(object, out) {
    writeProperties(object, out);
    writeEntries(object.entries, out, (key) => out.value(key));
  },
  fill(object, from) {
    readProperties(object, from);
    readEntries(object.entries, from, () => {
      const key = from.value();
      object.entries.set(key, key);
    });
  },
};

const SOURCES: readonly IteratorSource[] = ["array", "string", "map", "set", "bytes", "params", "matches"];
const MODES: readonly IteratorMode[] = ["keys", "values", "entries"];
const PROTOTYPES: Readonly<Record<IteratorSource, string>> = {
  array: "Array Iterator",
  bytes: "Array Iterator",
  string: "String Iterator",
  map: "Map Iterator",
  set: "Set Iterator",
  params: "URLSearchParams Iterator",
  matches: "RegExp String Iterator",
};

const iterator: Layout<VIterator> = {
  shell(object, out) {
    out.byte(SOURCES.indexOf(object.source));
    out.byte(MODES.indexOf(object.mode));
  },
  make(from) {
    const source = SOURCES[from.byte()];
    const mode = MODES[from.byte()];
    if (source === undefined || mode === undefined) invalid("an iterator over nothing known");
    return new VIterator(from.image.realm.prototype(PROTOTYPES[source]), source, mode, undefined);
  },
  body(object, out) {
    writeProperties(object, out);
    out.value(object.target);
    out.int(object.position);
  },
  fill(object, from) {
    readProperties(object, from);
    object.target = from.value();
    object.position = from.int();
    if (!fitsSource(object.source, object.target) && object.position !== -1) invalid("an iterator over something else");
  },
};

function fitsSource(source: IteratorSource, target: Value): boolean {
  if (source === "string") return typeof target === "string";
  if (!(target instanceof VObject)) return false;
  if (source === "map") return target.kind === Kind.Map;
  if (source === "set") return target.kind === Kind.Set;
  if (source === "bytes") return target.kind === Kind.Bytes;
  if (source === "params") return target.kind === Kind.UrlParams;
  return source === "array" || target.kind === Kind.Array;
}

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

const url: Layout<VUrl> = {
  shell() {},
  make: (from) => new VUrl(from.image.realm.prototype("URL"), ""),
  body(object, out) {
    writeProperties(object, out);
    out.key(object.href);
    out.value(object.params);
  },
  fill(object, from) {
    readProperties(object, from);
    object.href = from.key();
    object.params = from.optional(VUrlParams);
  },
};

const urlParams: Layout<VUrlParams> = {
  shell() {},
  make: (from) => new VUrlParams(from.image.realm.prototype("URLSearchParams"), [], null),
  body(object, out) {
    writeProperties(object, out);
    out.value(object.url);
    out.uint(object.pairs.length);
    for (const [name, value] of object.pairs) {
      out.key(name);
      out.key(value);
    }
  },
  fill(object, from) {
    readProperties(object, from);
    object.url = from.optional(VUrl);
    object.pairs = Array.from({ length: from.count() }, () => {
      const name = from.key();
      return [name, from.key()];
    });
  },
};

const encoder: Layout<VEncoder> = {
  shell() {},
  make: (from) => new VEncoder(from.image.realm.prototype("TextEncoder")),
  body: writeProperties,
  fill: readProperties,
};

const decoder: Layout<VDecoder> = {
  shell(object, out) {
    out.byte((object.fatal ? 1 : 0) | (object.ignoreBom ? 2 : 0));
  },
  make(from) {
    const flags = from.byte();
    return new VDecoder(from.image.realm.prototype("TextDecoder"), (flags & 1) !== 0, (flags & 2) !== 0);
  },
  body(object, out) {
    writeProperties(object, out);
    out.byte(object.bomSeen ? 1 : 0);
    out.bytes(Uint8Array.from(object.pending));
  },
  fill(object, from) {
    readProperties(object, from);
    object.bomSeen = from.boolean();
    object.pending = [...from.bytes()];
    if (object.pending.length > 3) invalid("more pending bytes than a character has");
  },
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
  [Kind.Map]: map,
  [Kind.Set]: set,
  [Kind.Iterator]: iterator,
  [Kind.Buffer]: buffer,
  [Kind.Bytes]: bytes,
  [Kind.RegExp]: regexp,
  [Kind.Url]: url,
  [Kind.UrlParams]: urlParams,
  [Kind.Encoder]: encoder,
  [Kind.Decoder]: decoder,
  [Kind.Foreign]: foreign,
};
