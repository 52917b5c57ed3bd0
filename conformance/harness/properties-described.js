import { Test262Error } from "./sta.js";

/**
 * The same questions as `properties-probed.js`, answered from the descriptor alone: intrinsics are frozen in
 * workflows, so a write to one ends the run, yet their descriptors must read as in V8.
 */
export function isWritable(object, name) {
  return descriptorOf(object, name).writable === true;
}

export function isEnumerable(object, name) {
  return descriptorOf(object, name).enumerable;
}

export function isConfigurable(object, name) {
  return descriptorOf(object, name).configurable;
}

function descriptorOf(object, name) {
  const descriptor = Object.getOwnPropertyDescriptor(object, name);
  if (descriptor === undefined) throw new Test262Error(`there is no property ${name}`);
  return descriptor;
}
