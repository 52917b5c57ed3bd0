import { builtins } from "@cairnjs/ir";
import type { HostEntry, HostTable } from "../../src/builtins/host-table.ts";
import { putHidden } from "../../src/heap/properties.ts";
import { VError } from "../../src/heap/data.ts";
import { VArray, VObject, VPlain, type Value } from "../../src/heap/value.ts";
import { type HostContext, Thrown, unsupported } from "../../src/machine/host.ts";
import { buildRealm } from "../../src/realm/build.ts";

/** A context for host functions alone: a realm with the given families, no machine. */
export function hostContext(hosts: HostTable): HostContext {
  const missing = builtins
    .filter(({ kind, path }) => kind === "getter" && hosts[path] === undefined)
    .map(({ path }): [string, HostEntry] => [path, { get: () => unsupported(path) }]);
  const realm = buildRealm({ ...Object.fromEntries(missing), ...hosts }, () => null);
  return {
    realm,
    charge() {},
    now: () => 0,
    random: () => 0,
    touch() {},
    newError(className, message) {
      const error = new VError(realm.prototype(className));
      putHidden(error, "stack", `${className}: ${message}\n    at test`);
      putHidden(error, "message", message);
      return error;
    },
    preludeUnit(name) {
      throw new Error(name);
    },
  };
}

/** Native data as the VM's: arrays with their holes, plain objects, primitives. */
export function toVm(context: HostContext, value: unknown): Value {
  if (Array.isArray(value)) {
    const items: Value[] = [];
    items.length = value.length;
    value.forEach((item, index) => {
      items[index] = toVm(context, item);
    });
    return new VArray(context.realm.arrayPrototype, items);
  }
  if (typeof value === "object" && value !== null) {
    const made = new VPlain(context.realm.objectPrototype);
    for (const [key, item] of Object.entries(value)) made.write(key, toVm(context, item));
    return made;
  }
  return value as Value;
}

/** The reverse, for comparing with `toEqual` (holes stay holes). */
export function toNative(value: Value): unknown {
  if (value instanceof VArray) {
    const made: unknown[] = [];
    made.length = value.items.length;
    value.items.forEach((item, index) => {
      made[index] = toNative(item);
    });
    return made;
  }
  if (value instanceof VObject) {
    return Object.fromEntries(value.keys().map((key) => [key, toNative(value.read(key))]));
  }
  return value;
}

/** A result, or an error as `Name: message`. */
export function outcome(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Thrown && error.value instanceof VError) return { threw: errorText(error.value) };
    if (error instanceof Error) return { threw: `${error.name}: ${error.message}` };
    throw error;
  }
}

function errorText(error: VError): string {
  const name = error.proto?.read("name");
  return `${String(name)}: ${String(error.read("message"))}`;
}
