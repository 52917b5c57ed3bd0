import { Test262Error } from "./sta.js";

export function check(isRight, message) {
  if (isRight !== true) throw new Test262Error(message === undefined ? "Expected true" : message);
}

export function checkSame(actual, expected, message) {
  if (!Object.is(actual, expected)) {
    throw new Test262Error(`${said(message)}expected ${shown(expected)}, found ${shown(actual)}`);
  }
}

export function checkNotSame(actual, unexpected, message) {
  if (Object.is(actual, unexpected)) throw new Test262Error(`${said(message)}found ${shown(actual)}`);
}

export function checkThrows(expected, action, message) {
  if (typeof action !== "function") throw new Test262Error("assert.throws needs a function");
  try {
    action();
  } catch (error) {
    if (typeof error !== "object" || error === null) {
      throw new Test262Error(`${said(message)}${shown(error)} was thrown, which is no object`);
    }
    if (error.constructor !== expected) {
      throw new Test262Error(`${said(message)}expected ${expected.name}, caught ${error.name}`);
    }
    return;
  }
  throw new Test262Error(`${said(message)}expected ${expected.name}, nothing was thrown`);
}

/** The suite evaluates the text; those that are used without `eval` are all regular expressions. */
export function checkEarly(expected, text) {
  const end = text.lastIndexOf("/");
  checkThrows(expected, () => new RegExp(text.slice(1, end), text.slice(end + 1)), text);
}

/** Has to be made in the body: a module-level function is frozen, so it cannot carry the others. */
export function newAssert() {
  return Object.assign((isRight, message) => check(isRight, message), {
    sameValue: checkSame,
    notSameValue: checkNotSame,
    throws: Object.assign((expected, action, message) => checkThrows(expected, action, message), { early: checkEarly }),
    compareArray: checkSameItems,
    compareIterator: checkIterator,
  });
}

export function checkSameItems(actual, expected, message) {
  check(compareArray(actual, expected), `${said(message)}expected [${expected.join()}], found [${actual.join()}]`);
}

export function compareArray(a, b) {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}

export function checkIterator(iterator, validators, message) {
  for (let index = 0; index < validators.length; index++) {
    const step = iterator.next();
    check(!step.done, `${said(message)}only ${index} values came`);
    validators[index](step.value);
  }
  const last = iterator.next();
  check(last.done, `${said(message)}more than ${validators.length} values came`);
  checkSame(last.value, undefined, message);
}

function said(message) {
  return message === undefined ? "" : `${message}: `;
}

/** Objects are not printed: their `toString` may be what a test is about. */
function shown(value) {
  if (typeof value === "string") return `"${value}"`;
  if (Object.is(value, -0)) return "-0";
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? `a ${typeof value}`
    : String(value);
}
