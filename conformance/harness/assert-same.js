import { said } from "./assert.js";
import { Test262Error } from "./sta.js";

export function checkSame(actual, expected, message) {
  if (!Object.is(actual, expected)) {
    throw new Test262Error(`${said(message)}expected ${shown(expected)}, found ${shown(actual)}`);
  }
}

export function checkNotSame(actual, unexpected, message) {
  if (Object.is(actual, unexpected)) throw new Test262Error(`${said(message)}found ${shown(actual)}`);
}

/** Objects are not printed: their `toString` may be what a test is about. */
function shown(value) {
  if (typeof value === "string") return `"${value}"`;
  if (Object.is(value, -0)) return "-0";
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? `a ${typeof value}`
    : String(value);
}
