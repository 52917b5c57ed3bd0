import { VArray, type VObject } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { constructorName } from "./printed.ts";

/** Of the way around a circle V8 names this many steps at its start, and the last one. */
const SHOWN_AT_START = 2;

/**
 * The TypeError for an object that is being written already. `open` are the containers from the outside in, `path`
 * the key in each that leads to the next; in the last one it is `key`, which leads back to `object`.
 */
export function throwCircular(
  context: HostContext,
  open: readonly VObject[],
  path: readonly string[],
  object: VObject,
  key: string,
): never {
  const start = open.indexOf(object);
  const steps: string[] = [];
  for (let index = start + 1; index < open.length; index++) {
    const via = nameOf(open[index - 1]!, path[index - 1]!);
    steps.push(`\n    |     ${via} -> object with constructor '${className(open[index]!)}'`);
  }
  const shown = steps.slice(0, SHOWN_AT_START);
  if (steps.length > SHOWN_AT_START + 1) shown.push("\n    |     ...");
  if (steps.length > SHOWN_AT_START) shown.push(steps.at(-1)!);
  const first = `\n    --> starting at object with constructor '${className(object)}'`;
  const last = `\n    --- ${nameOf(open.at(-1)!, key)} closes the circle`;
  throwError(context, "TypeError", `Converting circular structure to JSON${first}${shown.join("")}${last}`);
}

function nameOf(container: VObject, key: string): string {
  return container instanceof VArray ? `index ${key}` : `property '${key}'`;
}

/** An own property named `constructor` does not count here. */
function className(object: VObject): string {
  return (object.proto === null ? "" : constructorName(object.proto)) || "Object";
}
