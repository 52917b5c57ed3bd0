import { checkSame } from "./assert-same.js";

export function assertRelativeDateMs(date, expected) {
  checkSame(date.valueOf() - date.getTimezoneOffset() * 60_000, expected, "milliseconds since the epoch");
}
