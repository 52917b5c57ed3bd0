import type { VClosure } from "./function.ts";
import { UNSUPPORTED } from "./unsupported.ts";
import { CONFIGURABLE, WRITABLE } from "./value.ts";

/** Moves a function's own `name` and `length` into its bag, in V8's order: length, name. */
export function materialise(closure: VClosure): void {
  if (closure.materialised) return;
  closure.materialised = true;
  closure.write("length", closure.unit.meta.length);
  closure.write("name", closure.givenName ?? closure.unit.meta.name);
  closure.attributes ??= new Map();
  closure.attributes.set("length", CONFIGURABLE);
  closure.attributes.set("name", CONFIGURABLE);
  if (hasPrototype(closure)) {
    closure.write("prototype", UNSUPPORTED);
    closure.attributes.set("prototype", WRITABLE);
  }
}

/** Functions that V8 lets be constructed have a prototype; ours exists, and reading it ends the run. */
export function hasPrototype({ unit }: VClosure): boolean {
  return unit.meta.kind === "function" && !unit.async;
}

/** Whether a materialised function is still as it was made, so that a snapshot need not say so. */
export function isAsMade(closure: VClosure): boolean {
  const { unit, givenName, attributes } = closure;
  return (
    closure.keys().join() === (hasPrototype(closure) ? "length,name,prototype" : "length,name") &&
    (!hasPrototype(closure) || closure.read("prototype") === UNSUPPORTED) &&
    closure.read("length") === unit.meta.length &&
    closure.read("name") === (givenName ?? unit.meta.name) &&
    attributes?.get("length") === CONFIGURABLE &&
    attributes.get("name") === CONFIGURABLE
  );
}
