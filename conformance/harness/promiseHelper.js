import { checkSame } from "./assert-same.js";

/** The steps noted are 1, 2, 3 … in this order. */
export function checkSequence(steps, message) {
  steps.forEach((step, index) => checkSame(step, index + 1, message));
  return true;
}
