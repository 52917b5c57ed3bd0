import { putHidden } from "../heap/properties.ts";
import { VBuiltin, VClass } from "../heap/function.ts";
import { VPlain } from "../heap/value.ts";
import type { Machine } from "./machine.ts";

/** A module-level error class becomes an object: only the initialiser does this. */
export function makeClass(machine: Machine, index: number): VClass {
  const { image } = machine;
  const definition = image.program.classes[index]!;
  const parent =
    "global" in definition.parent
      ? image.globals[definition.parent.global]
      : machine.realm.builtin(definition.parent.intrinsic);
  if (!(parent instanceof VClass || parent instanceof VBuiltin))
    throw new Error(`class ${definition.name} has no parent`);
  const parentPrototype = parent instanceof VClass ? parent.prototype : parent.read("prototype");
  const prototype = new VPlain(parentPrototype as VPlain);
  const unit = image.units[definition.constructorFunction]!;
  const made = new VClass(parent, index, definition.name, parent, prototype, unit);
  putHidden(made, "length", unit.meta.length);
  putHidden(made, "name", definition.name);
  putHidden(made, "prototype", prototype);
  putHidden(prototype, "constructor", made);
  return made;
}
