import {
  type Entries,
  type IteratorMode,
  type IteratorSource,
  VIterator,
  VMap,
  VSet,
  iteratorPrototypes,
} from "../heap/collection.ts";
import { Kind, VObject, type Value } from "../heap/value.ts";
import { readProperties, writeProperties } from "./layout-properties.ts";
import type { HeapObject, In, Layout, Out } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Layouts of collections and of iterators over anything. */

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

const iterator: Layout<VIterator> = {
  shell(object, out) {
    out.byte(SOURCES.indexOf(object.source));
    out.byte(MODES.indexOf(object.mode));
  },
  make(from) {
    const source = SOURCES[from.byte()];
    const mode = MODES[from.byte()];
    if (source === undefined || mode === undefined) invalid("an iterator over nothing known");
    return new VIterator(from.image.realm.prototype(iteratorPrototypes[source]), source, mode, undefined);
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

export const collectionLayouts: Readonly<Record<number, Layout<HeapObject> | undefined>> = {
  [Kind.Map]: map,
  [Kind.Set]: set,
  [Kind.Iterator]: iterator,
};
