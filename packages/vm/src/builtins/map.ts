import { type IteratorMode, VMap } from "../heap/collection.ts";
import { mapKey } from "../heap/durable.ts";
import { getProperty } from "../heap/properties.ts";
import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { DONE, getIterator, iterateStep, newIterator } from "./iterate.ts";
import { printed } from "./printed.ts";

export const mapBuiltins: HostTable = {
  Map: { construct: (context, _newTarget, args) => newMap(context, args[0]) },
  "Map.prototype.clear": {
    call(context, self) {
      const map = receiver(context, self, "Map.prototype.clear");
      context.touch(map);
      map.entries.clear();
      return undefined;
    },
  },
  "Map.prototype.delete": {
    call(context, self, args) {
      const map = receiver(context, self, "Map.prototype.delete");
      const key = mapKey(args[0]);
      if (!map.entries.has(key)) return false;
      context.touch(map);
      return map.entries.delete(key);
    },
  },
  "Map.prototype.entries": iterators("entries"),
  "Map.prototype.get": {
    call: (context, self, args) => receiver(context, self, "Map.prototype.get").entries.get(mapKey(args[0])),
  },
  "Map.prototype.has": {
    call: (context, self, args) => receiver(context, self, "Map.prototype.has").entries.has(mapKey(args[0])),
  },
  "Map.prototype.keys": iterators("keys"),
  "Map.prototype.set": {
    call(context, self, args) {
      const map = receiver(context, self, "Map.prototype.set");
      setEntry(context, map, args[0], args[1]);
      return map;
    },
  },
  "Map.prototype.size": {
    get: (context, self) => receiver(context, self, "get Map.prototype.size").entries.size,
  },
  "Map.prototype.values": iterators("values"),
};

function newMap(context: HostContext, iterable: Value): VMap {
  context.charge(8, 128);
  const map = new VMap(context.realm.prototype("Map"));
  if (iterable === undefined || iterable === null) return map;
  const iterator = getIterator(context, iterable);
  for (let item = iterateStep(context, iterator); item !== DONE; item = iterateStep(context, iterator)) {
    if (!(item instanceof VObject)) {
      throwError(context, "TypeError", `Iterator value ${String(item)} is not an entry object`);
    }
    setEntry(context, map, getProperty(context, item, "0"), getProperty(context, item, "1"));
  }
  return map;
}

/** An entry costs about 48 bytes in the lists and the host's index. */
function setEntry(context: HostContext, map: VMap, key: Value, value: Value): void {
  context.touch(map);
  context.charge(10, map.entries.has(mapKey(key)) ? 0 : 48);
  map.entries.set(mapKey(key), value);
}

function iterators(mode: IteratorMode): HostEntry {
  return {
    call: (context, self) => newIterator(context, "map", mode, receiver(context, self, `Map.prototype.${mode}`)),
  };
}

function receiver(context: HostContext, self: Value, path: string): VMap {
  if (self instanceof VMap) return self;
  return throwError(context, "TypeError", `Method ${path} called on incompatible receiver ${printed(context, self)}`);
}
