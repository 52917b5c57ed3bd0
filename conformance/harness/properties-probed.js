import { Test262Error } from "./sta.js";

/** Writes the property and puts the old value back. */
export function isWritable(object, name, readName, value) {
  const written = value || "unlikelyValue";
  const had = Object.hasOwn(object, name);
  const before = object[name];
  try {
    object[name] = written;
  } catch (error) {
    checkTypeError(error);
  }
  const isWritten = Object.is(object[readName || name], written);
  if (!isWritten) return false;
  if (had) object[name] = before;
  else delete object[name];
  return true;
}

export function isEnumerable(object, name) {
  let isSeen = false;
  for (const key in object) {
    if (key === name) isSeen = true;
  }
  return isSeen && Object.hasOwn(object, name) && Object.prototype.propertyIsEnumerable.call(object, name);
}

/** Deletes the property. */
export function isConfigurable(object, name) {
  try {
    delete object[name];
  } catch (error) {
    checkTypeError(error);
  }
  return !Object.hasOwn(object, name);
}

function checkTypeError(error) {
  if (!(error instanceof TypeError)) throw new Test262Error(`expected TypeError, caught ${error.name}`);
}
