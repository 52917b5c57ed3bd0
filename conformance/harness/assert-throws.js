import { said } from "./assert.js";
import { Test262Error } from "./sta.js";

export function checkThrows(expected, action, message) {
  if (typeof action !== "function") throw new Test262Error("assert.throws needs a function");
  try {
    action();
  } catch (error) {
    if (typeof error !== "object" || error === null) {
      throw new Test262Error(`${said(message)}a ${typeof error} was thrown`);
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
