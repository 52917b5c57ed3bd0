import { PLAIN, type VObject } from "../heap/value.ts";
import type { In, Out } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Named properties, attributes and extensibility: the part that all objects share. */
export function writeProperties(object: VObject, out: Out): void {
  const keys = out.names(object);
  for (let index = 0; index < keys.length; index++) {
    out.value(object.shape === null ? object.read(keys[index]!) : object.slots[index]);
  }
  const special = object.attributes === null ? [] : [...object.attributes].filter(([key]) => object.has(key));
  out.uint(special.length * 2 + (object.extensible ? 1 : 0));
  for (const [key, attributes] of special) {
    out.key(key);
    out.byte(attributes);
  }
}

export function readProperties(object: VObject, from: In): void {
  const { keys, shape } = from.names();
  object.clearNamed();
  if (shape === null) {
    for (const key of keys) object.write(key, from.value());
  } else if (keys.length > 0) {
    const slots = [from.value()];
    for (let index = 1; index < keys.length; index++) slots.push(from.value());
    object.adopt(shape, slots);
  }
  const header = from.uint();
  object.extensible = header % 2 === 1;
  const special = Math.floor(header / 2);
  if (special > keys.length) invalid("attributes of no property");
  for (let index = 0; index < special; index++) {
    const key = from.key();
    const attributes = from.byte();
    if (attributes > PLAIN || !object.has(key)) invalid("attributes of no property");
    (object.attributes ??= new Map()).set(key, attributes);
  }
}
