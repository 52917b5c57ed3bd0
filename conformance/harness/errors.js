import { Test262Error } from "./sta.js";

export function $ERROR(message) {
  throw new Test262Error(message);
}

export function $DONOTEVALUATE() {
  throw new Test262Error("This must not be evaluated");
}
