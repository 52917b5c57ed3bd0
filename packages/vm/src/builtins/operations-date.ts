import * as dates from "../date/index.ts";
import type { VArray } from "../heap/value.ts";
import { isDate } from "./date-receiver.ts";
import { newDate, parse, timeOfParts } from "./date.ts";
import type { OperationTable } from "./host-table.ts";
import { toNumber } from "./number-conversion.ts";

/** What `prelude/date.ts` asks of the machine. */
export const dateOperations: OperationTable = {
  /** `Date()` without `new`. */
  dateText: (context) => dates.toString(context.now()),
  dateOfNow: (context) => newDate(context, context.now()),
  /** From another date, or from a primitive: a text is parsed. */
  dateOfValue(context, [value]) {
    if (isDate(value)) return newDate(context, value.time);
    if (typeof value === "string") return newDate(context, parse(context, value));
    return newDate(context, dates.timeClip(toNumber(context, value)));
  },
  /** From an array of numbers. */
  dateOfParts: (context, [parts]) => newDate(context, dates.timeClip(timeOfParts(context, (parts as VArray).items))),
};
