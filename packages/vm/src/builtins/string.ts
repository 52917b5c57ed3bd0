import type { Value } from "../heap/value.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { toLowerCase, toUpperCase } from "../unicode/letter-case.ts";
import { type NormalForm, normalize } from "../unicode/normal-forms.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { toInteger, toNumber } from "./number-conversion.ts";
import { chargeScan, chargeText, receiverText, toText } from "./string-conversion.ts";
import { stringHtml } from "./string-html.ts";
import { isWellFormed, toWellFormed } from "./string-well-formed.ts";
import { TextSearch, lastIndexOfText } from "./text-search.ts";

/**
 * What of String neither calls back nor takes a regular expression; the rest is in the prelude. Methods that
 * ECMA-262 defines exactly, and without the Unicode database, are the host's.
 */
export const stringBuiltins: HostTable = {
  String: { call: (context, _self, args) => (args.length === 0 ? "" : toText(context, args[0])) },
  "String.fromCharCode": {
    call(context, _self, args) {
      chargeText(context, args.length);
      if (args.length === 1) return String.fromCharCode(toNumber(context, args[0]));
      return args.map((value) => String.fromCharCode(toNumber(context, value))).join("");
    },
  },
  "String.fromCodePoint": {
    call(context, _self, args) {
      chargeText(context, args.length * 2);
      return args.map((value) => fromCodePoint(context, value)).join("");
    },
  },

  "String.prototype.at": method("at", (context, text, [index]) => {
    const relative = toInteger(context, index);
    return text[relative < 0 ? text.length + relative : relative];
  }),
  "String.prototype.charAt": method("charAt", (context, text, [index]) => text[toInteger(context, index)] ?? ""),
  "String.prototype.charCodeAt": method("charCodeAt", (context, text, [index]) =>
    text.charCodeAt(toInteger(context, index)),
  ),
  "String.prototype.codePointAt": method("codePointAt", (context, text, [index]) =>
    text.codePointAt(toInteger(context, index)),
  ),
  "String.prototype.length": { value: 0 },
  "String.prototype.concat": method("concat", (context, text, args) => {
    const parts = args.map((value) => toText(context, value));
    chargeText(
      context,
      parts.reduce((length, part) => length + part.length, text.length),
    );
    return text.concat(...parts);
  }),
  "String.prototype.indexOf": method("indexOf", (context, text, [search, position]) => {
    const sought = toText(context, search);
    return new TextSearch(context, text, sought).next(toInteger(context, position));
  }),
  "String.prototype.isWellFormed": method("isWellFormed", (context, text) => {
    chargeScan(context, text.length);
    return isWellFormed(text);
  }),
  "String.prototype.lastIndexOf": method("lastIndexOf", (context, text, [search, position]) => {
    const sought = toText(context, search);
    return lastIndexOfText(context, text, sought, toNumber(context, position));
  }),
  "String.prototype.normalize": method("normalize", (context, text, [form]) => {
    const name = form === undefined ? "NFC" : toText(context, form);
    const growth = NORMAL_FORM_GROWTH.get(name);
    if (growth === undefined) {
      const forms = "NFC, NFD, NFKC, NFKD";
      throwError(context, "RangeError", `The normalization form should be one of ${forms}.`);
    }
    context.charge(text.length * 10, text.length * growth);
    return normalize(text, name as NormalForm);
  }),
  "String.prototype.padEnd": method(
    "padEnd",
    (context, text, [length, fill]) => text + padding(context, text, length, fill),
  ),
  "String.prototype.padStart": method(
    "padStart",
    (context, text, [length, fill]) => padding(context, text, length, fill) + text,
  ),
  "String.prototype.repeat": method("repeat", (context, text, [count]) => {
    const times = toInteger(context, count);
    // V8 names the argument as it came, not as a number.
    if (times < 0 || times === Infinity)
      throwError(context, "RangeError", `Invalid count value: ${toText(context, count)}`);
    if (text === "") return "";
    chargeText(context, text.length * times);
    return text.repeat(times);
  }),
  "String.prototype.slice": method("slice", (context, text, [start, end]) => {
    const from = toInteger(context, start);
    return part(context, text.slice(from, end === undefined ? text.length : toInteger(context, end)));
  }),
  "String.prototype.substr": method("substr", (context, text, [start, length]) => {
    const from = toInteger(context, start);
    const first = from < 0 ? Math.max(text.length + from, 0) : from;
    const count = length === undefined ? text.length : toInteger(context, length);
    return part(context, count <= 0 ? "" : text.slice(first, first + count));
  }),
  "String.prototype.substring": method("substring", (context, text, [start, end]) => {
    const from = toInteger(context, start);
    return part(context, text.substring(from, end === undefined ? text.length : toInteger(context, end)));
  }),
  "String.prototype.toLowerCase": method("toLowerCase", (context, text) => changedCase(context, text, toLowerCase)),
  "String.prototype.toString": { call: (context, self) => insistOnText(context, self, "toString") },
  "String.prototype.toUpperCase": method("toUpperCase", (context, text) => changedCase(context, text, toUpperCase)),
  "String.prototype.toWellFormed": method("toWellFormed", (context, text) => {
    chargeText(context, text.length);
    return toWellFormed(text);
  }),
  "String.prototype.trim": method("trim", (context, text) => trimmed(context, text, text.trim())),
  "String.prototype.trimEnd": method("trimRight", (context, text) => trimmed(context, text, text.trimEnd())),
  "String.prototype.trimStart": method("trimLeft", (context, text) => trimmed(context, text, text.trimStart())),
  "String.prototype.valueOf": { call: (context, self) => insistOnText(context, self, "valueOf") },
  ...stringHtml,
};

/** How many times longer each form can make a text. */
const NORMAL_FORM_GROWTH: ReadonlyMap<string, number> = new Map([
  ["NFC", 3],
  ["NFD", 4],
  ["NFKC", 18],
  ["NFKD", 18],
]);

/** `name` is what V8 calls the method in messages. */
function method(name: string, run: (context: HostContext, text: string, args: readonly Value[]) => Value): HostEntry {
  const path = `String.prototype.${name}`;
  return { call: (context, self, args) => run(context, receiverText(context, self, path), args) };
}

/** A part of a text costs its size in memory and little time: the host shares the characters. */
function part(context: HostContext, text: string): string {
  context.charge(text.length / 64, text.length);
  return text;
}

function trimmed(context: HostContext, text: string, result: string): string {
  chargeScan(context, text.length - result.length);
  return part(context, result);
}

/** One letter becomes up to three. */
function changedCase(context: HostContext, text: string, change: (text: string) => string): string {
  context.charge(1 + text.length / 2, text.length * 2);
  return change(text);
}

function padding(context: HostContext, text: string, length: Value, fill: Value): string {
  const width = toInteger(context, length);
  const missing = Math.min(width, Number.MAX_SAFE_INTEGER) - text.length;
  if (missing <= 0) return "";
  const filler = fill === undefined ? " " : toText(context, fill);
  if (filler === "") return "";
  chargeText(context, text.length + missing);
  return "".padEnd(missing, filler);
}

function fromCodePoint(context: HostContext, value: Value): string {
  const code = toNumber(context, value);
  if (Number.isInteger(code) && code >= 0 && code <= 0x10ffff) return String.fromCodePoint(code);
  return throwError(context, "RangeError", `Invalid code point ${code}`);
}

function insistOnText(context: HostContext, self: Value, name: string): string {
  if (typeof self === "string") return self;
  // The one boxed string there is.
  if (self === context.realm.stringPrototype) return "";
  return throwError(context, "TypeError", `String.prototype.${name} requires that 'this' be a String`);
}
