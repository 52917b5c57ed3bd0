import { VArray, VObject, type Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import type { Operation, OperationTable } from "./host-table.ts";
import { toInteger, toNumber } from "./number-conversion.ts";
import { chargeScan, chargeText, toText } from "./string-conversion.ts";
import { splitText } from "./string-split.ts";
import { substitute } from "./string-substitution.ts";
import { TextSearch } from "./text-search.ts";

/**
 * What `prelude/string.ts` asks of the machine. Methods that may have to call the program are tried here first:
 * with primitives only, they are done in one operation; else the answer is null and the prelude goes on.
 */
export const stringOperations: OperationTable = {
  textEndsWith: quick("endsWith", (context, text, [search, end]) => {
    const sought = toText(context, search);
    chargeScan(context, sought.length);
    return text.endsWith(sought, end === undefined ? text.length : toInteger(context, end));
  }),
  textIncludes: quick("includes", (context, text, [search, position]) => {
    const sought = toText(context, search);
    return new TextSearch(context, text, sought).next(toInteger(context, position)) >= 0;
  }),
  textStartsWith: quick("startsWith", (context, text, [search, position]) => {
    const sought = toText(context, search);
    chargeScan(context, sought.length);
    return text.startsWith(sought, toInteger(context, position));
  }),
  textSplit: quick("split", (context, text, [separator, limit]) => {
    // ToUint32, and before the separator's ToString.
    const count = limit === undefined ? 0xffffffff : toNumber(context, limit) >>> 0;
    const parts = splitText(context, text, separator === undefined ? undefined : toText(context, separator), count);
    return new VArray(context.realm.arrayPrototype, parts);
  }),
  textReplace: quick("replace", (context, text, [pattern, replacement]) => {
    const sought = toText(context, pattern);
    const template = toText(context, replacement);
    const position = new TextSearch(context, text, sought).next(0);
    if (position < 0) return text;
    const middle = substituteText(context, template, text, position, sought);
    chargeText(context, text.length - sought.length + middle.length);
    return text.slice(0, position) + middle + text.slice(position + sought.length);
  }),
  textReplaceAll: quick("replaceAll", (context, text, [pattern, replacement]) => {
    const sought = toText(context, pattern);
    return replaceAll(context, text, sought, toText(context, replacement));
  }),

  /** TypeError for null and undefined, as the method of that name throws it. */
  requireText(context, [value, name]) {
    requireCoercible(context, value, name as string);
    return undefined;
  },
  /** ECMA-262's StringIndexOf: -1 for a start beyond the end, also for an empty text. */
  textIndexOf(context, [text, sought, start]) {
    const from = start as number;
    const whole = text as string;
    if (from > whole.length) return -1;
    return new TextSearch(context, whole, sought as string).next(from);
  },
};

/** An operation on a receiver and arguments that are all primitives; null when one is not. */
function quick(name: string, run: (context: HostContext, text: string, args: readonly Value[]) => Value): Operation {
  return (context, [self, ...args]) => {
    requireCoercible(context, self, name);
    if (self instanceof VObject) return null;
    for (const value of args) if (value instanceof VObject) return null;
    return run(context, toText(context, self), args);
  };
}

function requireCoercible(context: HostContext, value: Value, name: string): void {
  if (value !== undefined && value !== null) return;
  throwError(context, "TypeError", `String.prototype.${name} called on null or undefined`);
}

function replaceAll(context: HostContext, text: string, sought: string, template: string): string {
  const search = new TextSearch(context, text, sought);
  const step = Math.max(1, sought.length);
  let result = "";
  let end = 0;
  for (let position = search.next(0); position >= 0;) {
    const middle = substituteText(context, template, text, position, sought);
    chargeText(context, position - end + middle.length);
    result += text.slice(end, position) + middle;
    end = position + sought.length;
    position = position + step > text.length ? -1 : search.next(position + step);
  }
  return end === 0 && result === "" ? text : result + text.slice(end);
}

function substituteText(
  context: HostContext,
  template: string,
  text: string,
  position: number,
  matched: string,
): string {
  if (!template.includes("$")) return template;
  const match = { text, position, matched, captures: [], group: undefined };
  return substitute(template, match, (length) => chargeText(context, length));
}
