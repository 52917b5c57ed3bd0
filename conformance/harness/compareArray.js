import { check, said } from "./assert.js";

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
