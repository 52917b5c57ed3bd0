import { VDate } from "../heap/data.ts";
import type { Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { printed } from "./printed.ts";

export function isDate(value: Value): value is VDate {
  return value instanceof VDate;
}

/** The receiver of setters and of what writes text; getters have a message of their own. */
export function dateOf(context: HostContext, self: Value, name: string): VDate {
  if (isDate(self)) return self;
  const what = `Method Date.prototype.${name} called on incompatible receiver`;
  return throwError(context, "TypeError", `${what} ${printed(context, self)}`);
}
