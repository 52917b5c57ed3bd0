import type { HostTable, OperationTable } from "../builtins/host-table.ts";
import { VDurable, VSignal } from "../heap/durable.ts";
import { describe } from "../heap/property-errors.ts";
import { VDate } from "../heap/data.ts";
import type { VBuiltin } from "../heap/function.ts";
import { Kind, VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { encodeVm } from "../values/index.ts";
import { deleteMember, getMember, hasMember, setMember } from "./access.ts";
import { isCallable } from "./callable.ts";
import { draw } from "./chance.ts";
import { startDetached, storable, waitForSignal, withOptions } from "./durable-calls.ts";
import { throwError, unsupported } from "./host.ts";
import type { Machine } from "./machine.ts";
import { type BinaryName, type UnaryName, binaryPrimitive, unaryPrimitive } from "./operators.ts";

/** What needs the machine itself: logging, chance, durable primitives. The context of every built-in is the machine. */
export const machineBuiltins: HostTable = {
  "crypto.randomUUID": { call: (context) => randomUuid(context as Machine) },
  "cairn.emit": {
    call: (context, _, [type, data]) => {
      const machine = context as Machine;
      if (typeof type !== "string") throwError(context, "TypeError", "emit() takes a type and its data");
      const encoded = storable(machine, () => encodeVm(machine, data, "data"));
      machine.effects.push({ kind: "emit", id: machine.nextId(), type, data: encoded });
      return undefined;
    },
  },
  "cairn.progress": {
    call: (context, _, [value]) => {
      const machine = context as Machine;
      const encoded = storable(machine, () => encodeVm(machine, value, "value"));
      machine.effects.push({ kind: "progress", id: machine.nextId(), value: encoded });
      return undefined;
    },
  },
  "cairn.runInfo": { call: (context) => runInfo(context as Machine) },
  "cairn.Durable.prototype.with": {
    call: (context, self, [options]) =>
      storable(context as Machine, () => withOptions(context as Machine, durable(self), options)),
  },
  "cairn.Durable.prototype.start": {
    call: (context, self, [input, options]) => {
      const child = durable(self);
      if (child.durable !== "workflow") throwError(context, "TypeError", `${child.name}.start is not a function`);
      return startDetached(context as Machine, child, input, options);
    },
  },
  "cairn.Signal.prototype.wait": {
    call: (context, self, [options]) => {
      if (!(self instanceof VSignal)) throwError(context, "TypeError", "wait() belongs to a signal");
      return waitForSignal(context as Machine, self.name, self.node, options);
    },
  },
};

export const machineOperations: OperationTable = {
  isDate: (_, [value]) => value instanceof VDate,
  unaryPrimitive: (context, [name, value]) => unaryPrimitive(context as Machine, name as UnaryName, value),
  binaryPrimitive: (context, [name, left, right]) =>
    binaryPrimitive(context as Machine, name as BinaryName, left, right),
  getMember: (context, [object, key]) => getMember(context as Machine, object, key as string),
  setMember: (context, [object, key, value]) => {
    setMember(context as Machine, object, key as string, value);
    return undefined;
  },
  deleteMember: (context, [object, key]) => deleteMember(context as Machine, object, key as string),
  hasMember: (context, [object, key]) => hasMember(context as Machine, object, key as string),
  isByteIndex: (_, [object, key]) =>
    object instanceof VObject && object.kind === Kind.Bytes && isCanonicalNumber(key as string),
  coerceHints: (_, [builtin]) => (builtin as VBuiltin).implementation.coerce,
  callHost: (context, [builtin, self, args, constructing]) => {
    const { call, construct } = (builtin as VBuiltin).implementation;
    return (constructing === true ? construct! : call!)(context, self, (args as VArray).items);
  },
  isWholeNumber: (_, [value]) => Number.isInteger(value),
  describe: (_, [value]) => shown(value),
};

export function shown(value: Value): string {
  if (!(value instanceof VObject)) return String(value);
  return isCallable(value) ? `[Function ${String(value.read("name") ?? "")}]` : describe(value);
}

function randomUuid(machine: Machine): string {
  const bytes = new Uint8Array(16);
  for (let index = 0; index < 16; index += 4) new DataView(bytes.buffer).setUint32(index, draw(machine.chance));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function runInfo(machine: Machine): VPlain {
  const { info, realm } = machine;
  if (info === null) unsupported("runInfo() before the run has started");
  machine.charge(20, 600);
  const made = new VPlain(realm.objectPrototype);
  made.write("id", info.id);
  made.write("type", info.type);
  made.write("version", info.version);
  made.write("namespace", info.namespace);
  made.write("attempt", info.attempt);
  made.write("startedAt", new VDate(realm.prototype("Date"), info.startedAt));
  made.write("parent", info.parent);
  made.write("tags", new VArray(realm.arrayPrototype, [...info.tags]));
  return made;
}

/** Numbers as text, `-0` among them: on a byte array they are never names of properties. */
function isCanonicalNumber(key: string): boolean {
  return key === "-0" || (key.length < 32 && String(Number(key)) === key);
}

function durable(self: Value): VDurable {
  if (!(self instanceof VDurable)) unsupported("calling a method of actions on something else");
  return self;
}
