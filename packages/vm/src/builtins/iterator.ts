import { type IteratorSource, VIterator } from "../heap/collection.ts";
import { VObject, VPlain, type Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { HostTable } from "./host-table.ts";
import { DONE, iterateStep } from "./iterate.ts";
import { printed } from "./printed.ts";

export const iteratorBuiltins: HostTable = {
  "Array Iterator.prototype.next": next("Array Iterator", ["array", "bytes"]),
  "String Iterator.prototype.next": next("String Iterator", ["string"]),
  "Map Iterator.prototype.next": next("Map Iterator", ["map"]),
  "Set Iterator.prototype.next": next("Set Iterator", ["set"]),
  "RegExp String Iterator.prototype.next": next("RegExp String Iterator", ["matches"]),
  "URLSearchParams Iterator.prototype.next": next("URLSearchParams Iterator", ["params"]),
};

function next(name: string, sources: readonly IteratorSource[]): HostTable[string] {
  return {
    call(context, self) {
      if (self instanceof VIterator && sources.includes(self.source)) {
        const value = iterateStep(context, self);
        return iteratorResult(context, value === DONE ? undefined : value, value === DONE);
      }
      if (name === "URLSearchParams Iterator") {
        throwError(context, "TypeError", 'Value of "this" must be of type URLSearchParamsIterator');
      }
      const receiver = self instanceof VObject ? printed(context, self) : String(self);
      throwError(context, "TypeError", `Method ${name}.prototype.next called on incompatible receiver ${receiver}`);
    },
  };
}

/** `{ value, done }`. */
function iteratorResult(context: HostContext, value: Value, done: boolean): VPlain {
  context.charge(1, 96);
  const result = new VPlain(context.realm.objectPrototype);
  result.write("value", value);
  result.write("done", done);
  return result;
}
