import { check } from "./assert.js";
import { checkSame } from "./assert-same.js";
import { isConfigurable, isEnumerable, isWritable } from "./properties-probed.js";

export function verifyProperty(object, name, expected, options) {
  const found = Object.getOwnPropertyDescriptor(object, name);
  if (expected === undefined) {
    checkSame(found, undefined, `descriptor of ${name}`);
    return true;
  }
  check(found !== undefined, `there is no own property ${name}`);
  check(typeof expected === "object" && expected !== null, "a descriptor is expected");
  if (Object.hasOwn(expected, "value")) checkSame(found.value, expected.value, `value of ${name}`);
  if (Object.hasOwn(expected, "enumerable")) {
    checkSame(found.enumerable, expected.enumerable, `${name} is described as enumerable`);
    checkSame(isEnumerable(object, name), expected.enumerable, `${name} is enumerable`);
  }
  if (Object.hasOwn(expected, "writable")) {
    checkSame(found.writable, expected.writable, `${name} is described as writable`);
    checkSame(isWritable(object, name), expected.writable, `${name} is writable`);
  }
  if (Object.hasOwn(expected, "configurable")) {
    checkSame(found.configurable, expected.configurable, `${name} is described as configurable`);
    checkSame(isConfigurable(object, name), expected.configurable, `${name} is configurable`);
  }
  if (options && options.restore) Object.defineProperty(object, name, found);
  return true;
}

export function verifyEqualTo(object, name, value) {
  checkSame(object[name], value, `value of ${name}`);
}

export function verifyWritable(object, name, readName, value) {
  if (!readName)
    checkSame(Object.getOwnPropertyDescriptor(object, name).writable, true, `${name} is described as writable`);
  checkSame(isWritable(object, name, readName, value), true, `${name} is writable`);
}

export function verifyNotWritable(object, name, readName) {
  if (!readName)
    checkSame(Object.getOwnPropertyDescriptor(object, name).writable, false, `${name} is described as writable`);
  checkSame(isWritable(object, name, readName), false, `${name} is writable`);
}

export function verifyEnumerable(object, name) {
  checkSame(Object.getOwnPropertyDescriptor(object, name).enumerable, true, `${name} is described as enumerable`);
  checkSame(isEnumerable(object, name), true, `${name} is enumerable`);
}

export function verifyNotEnumerable(object, name) {
  checkSame(Object.getOwnPropertyDescriptor(object, name).enumerable, false, `${name} is described as enumerable`);
  checkSame(isEnumerable(object, name), false, `${name} is enumerable`);
}

export function verifyConfigurable(object, name) {
  checkSame(Object.getOwnPropertyDescriptor(object, name).configurable, true, `${name} is described as configurable`);
  checkSame(isConfigurable(object, name), true, `${name} is configurable`);
}

export function verifyNotConfigurable(object, name) {
  checkSame(Object.getOwnPropertyDescriptor(object, name).configurable, false, `${name} is described as configurable`);
  checkSame(isConfigurable(object, name), false, `${name} is configurable`);
}
