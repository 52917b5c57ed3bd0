import { getOwn, getProperty } from "../heap/properties.ts";
import { VBound, type VClosure } from "../heap/function.ts";
import { CONFIGURABLE, Kind, type VObject, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, throwError, unsupported } from "../machine/host.ts";
import type { HostTable } from "./host-table.ts";

/** `call` and `apply` are the machine's. The constructor makes functions from text, which no workflow may. */
export const functionBuiltins: HostTable = {
  Function: {
    call: () => unsupported("making a function from text"),
    construct: () => unsupported("making a function from text"),
  },
  "Function.prototype.bind": { call: bind },
  "Function.prototype.length": { value: 0 },
  "Function.prototype.name": { value: "" },
};

function bind(context: HostContext, self: Value, args: readonly Value[]): Value {
  if (!isCallable(self)) throwError(context, "TypeError", "Bind must be called on a function");
  const given = args.slice(1);
  const name = getProperty(context, self, "name");
  const text = typeof name === "string" ? name : "";
  context.charge(4 + given.length, 120 + given.length * 8 + text.length);
  const bound = new VBound(self.proto, self, args[0], given);
  bound.write("length", lengthLeft(context, self, given.length));
  bound.write("name", `bound ${text}`);
  bound.attributes = new Map([
    ["length", CONFIGURABLE],
    ["name", CONFIGURABLE],
  ]);
  return bound;
}

function lengthLeft(context: HostContext, target: VObject, given: number): number {
  const plain = target.kind === Kind.Closure && !(target as VClosure).materialised;
  const length = plain ? getProperty(context, target, "length") : getOwn(target, "length")?.value;
  if (typeof length !== "number" || length === -Infinity) return 0;
  if (length === Infinity) return Infinity;
  const whole = Math.trunc(length);
  return whole !== whole ? 0 : Math.max(whole - given, 0);
}
