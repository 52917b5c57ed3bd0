import { PLAIN, type VObject } from "../heap/value.ts";
import type { In, Out } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Named properties, attributes and extensibility: the part that all objects share. */
export function writeProperties(object: VObject, out: Out): void {
  const keys = object.keys();
  out.uint(keys.length * 2 + (object.extensible ? 1 : 0));
  for (const key of keys) {
    out.key(key);
    out.value(object.read(key));
  }
  const special = object.attributes === null ? [] : [...object.attributes].filter(([key]) => object.has(key));
  out.uint(special.length);
  for (const [key, attributes] of special) {
    out.key(key);
    out.byte(attributes);
  }
}

export function readProperties(object: VObject, from: In): void {
  const header = from.uint();
  const count = Math.floor(header / 2);
  if (count > from.left) invalid("it counts more than it holds");
  object.extensible = header % 2 === 1;
  object.clearNamed();
  for (let index = 0; index < count; index++) {
    const key = from.key();
    object.write(key, from.value());
  }
  const special = from.count();
  for (let index = 0; index < special; index++) {
    const key = from.key();
    const attributes = from.byte();
    if (attributes > PLAIN || !object.has(key)) invalid("attributes of no property");
    (object.attributes ??= new Map()).set(key, attributes);
  }
}
