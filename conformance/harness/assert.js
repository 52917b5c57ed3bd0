import { Test262Error } from "./sta.js";

export function check(isRight, message) {
  if (isRight !== true) throw new Test262Error(message === undefined ? "Expected true" : message);
}

export function said(message) {
  return message === undefined ? "" : `${message}: `;
}
