import { check, said } from "./assert.js";

export function checkIterator(iterator, validators, message) {
  for (let index = 0; index < validators.length; index++) {
    const step = iterator.next();
    check(!step.done, `${said(message)}only ${index} values came`);
    validators[index](step.value);
  }
  const last = iterator.next();
  check(last.done && last.value === undefined, `${said(message)}more than ${validators.length} values came`);
}
