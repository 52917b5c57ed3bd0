import { type HostContext, throwError } from "../machine/host.ts";
import { VBuiltin } from "./function.ts";
import { Kind, type VObject } from "./value.ts";

export function readOnly(context: HostContext, object: VObject, key: string): never {
  throwError(context, "TypeError", `Cannot assign to read only property '${key}' of object '${describe(object)}'`);
}

export function cannotDelete(context: HostContext, object: VObject, key: string): never {
  throwError(context, "TypeError", `Cannot delete property '${key}' of ${describe(object)}`);
}

/** As V8 names an object in messages: `[object Array]`, `#<Object>`. */
export function describe(object: VObject): string {
  if (object.kind === Kind.Array) return "[object Array]";
  if (object.kind === Kind.RegExp) return "[object RegExp]";
  if (object.kind === Kind.Date) return "[object Date]";
  return `#<${constructorName(object)}>`;
}

function constructorName(object: VObject): string {
  for (let at: VObject | null = object; at !== null; at = at.proto) {
    const constructor = at.read("constructor");
    if (constructor instanceof VBuiltin) return constructor.path;
  }
  return "Object";
}
