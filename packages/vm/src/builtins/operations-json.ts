import { defineField, deleteProperty, enumerableOwnKeys, getOwn, getProperty } from "../heap/properties.ts";
import { CONFIGURABLE, Kind, VArray, VObject, VPlain, type Value, WRITABLE } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, unsupported } from "../machine/host.ts";
import type { OperationTable } from "./host-table.ts";
import { throwCircular } from "./json-circular.ts";
import { parseJson } from "./json-parse.ts";
import { NEEDS_PROGRAM, scalarText, stringifyJson } from "./json-stringify.ts";

/** What `prelude/json.ts` asks of the machine. */
export const jsonOperations: OperationTable = {
  jsonParse: (context, [text]) => parseJson(context, text as string),

  /** The text, undefined, or null when the program's own code is needed to write it. */
  jsonStringify(context, [value, replacer, space]) {
    if (isCallable(replacer)) return null;
    const result = stringifyJson(context, value, namesOf(context, replacer), gapOf(space));
    return result === NEEDS_PROGRAM ? null : result;
  },
  jsonGap: (_context, [space]) => gapOf(space),
  /** The property names that an array as replacer allows, or null. */
  jsonNames(context, [replacer]) {
    const names = namesOf(context, replacer);
    return names === null ? null : new VArray(context.realm.arrayPrototype, names);
  },
  /** The text of a scalar, undefined for what JSON leaves out, null for a container. */
  jsonScalar: (context, [value]) => scalarText(context, value),
  /** The keys to write or revive: null for an array, whose length counts. */
  jsonKeys(context, [object]) {
    if (object instanceof VArray) return null;
    const keys = enumerableOwnKeys(object as VObject);
    context.charge(keys.length, 48 + keys.length * 8);
    return new VArray(context.realm.arrayPrototype, keys);
  },
  /** TypeError when the object is among the containers being written; see `throwCircular`. */
  jsonCheckCircle(context, [open, path, object, key]) {
    const objects = (open as VArray).items as VObject[];
    context.charge(objects.length / 8, 0);
    if (objects.includes(object as VObject)) {
      throwCircular(context, objects, (path as VArray).items as string[], object as VObject, key as string);
    }
    return undefined;
  },
  /** The object that a first call of a reviver or replacer has as `this`. */
  jsonHolder(context, [value]) {
    const holder = new VPlain(context.realm.objectPrototype);
    defineField(context, holder, "", value);
    return holder;
  },
  /** What a reviver returned takes its place, or removes the property; what cannot be changed stays. */
  jsonRevive(context, [holder, key, value]) {
    revive(context, holder as VObject, key as string, value);
    return undefined;
  },
};

/**
 * A number of spaces, or the first ten characters of a text; null for a text without line breaks. V8 breaks lines
 * for a fraction below one too, without indenting them.
 */
function gapOf(space: Value): string | null {
  if (typeof space === "string") return space === "" ? null : space.slice(0, 10);
  return typeof space === "number" && space > 0 ? " ".repeat(Math.min(10, space)) : null;
}

/** Texts and numbers in the array, each once. */
function namesOf(context: HostContext, replacer: Value): string[] | null {
  if (!(replacer instanceof VArray)) return null;
  context.charge(replacer.items.length, replacer.items.length * 8);
  const names = new Set<string>();
  for (let index = 0; index < replacer.items.length; index++) {
    const name = getProperty(context, replacer, String(index));
    if (typeof name === "string" || typeof name === "number") names.add(String(name));
  }
  return [...names];
}

function revive(context: HostContext, holder: VObject, key: string, value: Value): void {
  const own = getOwn(holder, key);
  if (value === undefined) {
    if (own !== undefined && (own.attributes & CONFIGURABLE) !== 0) deleteProperty(context, holder, key);
    return;
  }
  if (own !== undefined) {
    if (Object.is(own.value, value)) return;
    if ((own.attributes & CONFIGURABLE) === 0) {
      if ((own.attributes & WRITABLE) === 0) return;
      unsupported("reviving a property that cannot be configured");
    }
  } else if (!holder.extensible || (holder instanceof VArray && holder.lengthFixed)) {
    return;
  }
  if (holder.kind === Kind.Bytes) unsupported("reviving bytes");
  context.touch(holder);
  defineField(context, holder, key, value);
}
