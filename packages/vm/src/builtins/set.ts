import { type IteratorMode, VSet } from "../heap/collection.ts";
import { mapKey } from "../heap/durable.ts";
import type { Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { DONE, getIterator, iterateStep, newIterator } from "./iterate.ts";
import { printed } from "./printed.ts";

/** `Set.prototype.keys` is the same function as `values`. */
export const setBuiltins: HostTable = {
  Set: { construct: (context, _newTarget, args) => newSet(context, args[0]) },
  "Set.prototype.add": {
    call(context, self, args) {
      const set = receiver(context, self, "Set.prototype.add");
      addMember(context, set, args[0]);
      return set;
    },
  },
  "Set.prototype.clear": {
    call(context, self) {
      const set = receiver(context, self, "Set.prototype.clear");
      context.touch(set);
      set.entries.clear();
      return undefined;
    },
  },
  "Set.prototype.delete": {
    call(context, self, args) {
      const set = receiver(context, self, "Set.prototype.delete");
      const member = mapKey(args[0]);
      if (!set.entries.has(member)) return false;
      context.touch(set);
      return set.entries.delete(member);
    },
  },
  "Set.prototype.entries": iterators("entries"),
  "Set.prototype.has": {
    call: (context, self, args) => receiver(context, self, "Set.prototype.has").entries.has(mapKey(args[0])),
  },
  "Set.prototype.size": {
    get: (context, self) => receiver(context, self, "get Set.prototype.size").entries.size,
  },
  "Set.prototype.values": iterators("values"),
};

function newSet(context: HostContext, iterable: Value): VSet {
  context.charge(8, 128);
  const set = new VSet(context.realm.prototype("Set"));
  if (iterable === undefined || iterable === null) return set;
  const iterator = getIterator(context, iterable);
  for (let item = iterateStep(context, iterator); item !== DONE; item = iterateStep(context, iterator)) {
    addMember(context, set, item);
  }
  return set;
}

/** A member costs about 40 bytes in the lists and the host's index. */
function addMember(context: HostContext, set: VSet, value: Value): void {
  const member = mapKey(value);
  context.touch(set);
  context.charge(10, set.entries.has(member) ? 0 : 40);
  set.entries.set(member, undefined);
}

function iterators(mode: IteratorMode): HostEntry {
  return {
    call: (context, self) => newIterator(context, "set", mode, receiver(context, self, `Set.prototype.${mode}`)),
  };
}

function receiver(context: HostContext, self: Value, path: string): VSet {
  if (self instanceof VSet) return self;
  return throwError(context, "TypeError", `Method ${path} called on incompatible receiver ${printed(context, self)}`);
}
