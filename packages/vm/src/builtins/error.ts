import { getProperty, hasProperty, putHidden } from "../heap/properties.ts";
import { VError } from "../heap/data.ts";
import { VClass } from "../heap/function.ts";
import { VObject, type Value } from "../heap/value.ts";
import { type HostContext, type HostFunction, Thrown, throwError, unsupported } from "../machine/host.ts";
import { newArray } from "./array-like.ts";
import type { HostEntry, HostTable } from "./host-table.ts";
import { DONE, getIterator, iterateStep } from "./iterate.ts";
import { isDomException } from "./printed.ts";
import { toText } from "./string-conversion.ts";

const STANDARD = ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];

/** The engine's own catchable errors, exported by the SDK. */
const ENGINE = [
  "ActionCancelled",
  "ActionTimeout",
  "InvalidInput",
  "InvalidOutput",
  "NoHandlerRegistered",
  "NotStorable",
  "RunCancelled",
  "SignalTimeout",
  "StepChanged",
];

export const errorBuiltins: HostTable = {
  ...Object.fromEntries(STANDARD.flatMap((name) => classEntries(name, name))),
  ...Object.fromEntries(STANDARD.map((name) => [`${name}.prototype.message`, { value: "" }])),
  ...Object.fromEntries(ENGINE.flatMap((name) => classEntries(`cairn.${name}`, name))),
  AggregateError: bothWays((context, newTarget, args) => {
    const error = newInstance(context, "AggregateError", newTarget, args[1], args[2]);
    putHidden(error, "errors", newArray(context, listed(context, args[0])));
    return error;
  }),
  "AggregateError.prototype.message": { value: "" },
  "AggregateError.prototype.name": { value: "AggregateError" },
  DOMException: { construct: () => unsupported("constructing a DOMException") },
  "DOMException.prototype.code": { get: (context, self) => CODES[domException(context, self).name] ?? 0 },
  "DOMException.prototype.message": { get: (context, self) => domException(context, self).message },
  "DOMException.prototype.name": { get: (context, self) => domException(context, self).name },
};

function classEntries(path: string, name: string): [string, HostEntry][] {
  return [
    [path, bothWays((context, newTarget, args) => newInstance(context, path, newTarget, args[0], args[1]))],
    [`${path}.prototype.name`, { value: name }],
  ];
}

/** With and without `new` alike. */
function bothWays(make: HostFunction): HostEntry {
  return { call: (context, _self, args) => make(context, undefined, args), construct: make };
}

function newInstance(context: HostContext, path: string, newTarget: Value, message: Value, options: Value): VError {
  const text = message === undefined ? "" : toText(context, message);
  const error = context.newError(path, text);
  if (newTarget instanceof VClass) error.proto = newTarget.prototype;
  if (message === undefined) {
    error.remove("message");
    error.attributes?.delete("message");
  }
  if (path.startsWith("cairn.")) putHidden(error, "stack", String(error.read("stack")).replace(/^cairn\./, ""));
  if (options instanceof VObject && hasProperty(options, "cause")) {
    putHidden(error, "cause", getProperty(context, options, "cause"));
  }
  return error;
}

function listed(context: HostContext, iterable: Value): Value[] {
  const iterator = getIterator(context, iterable);
  const items: Value[] = [];
  for (let item = iterateStep(context, iterator); item !== DONE; item = iterateStep(context, iterator)) {
    context.charge(1, 8);
    items.push(item);
  }
  return items;
}

/**
 * Throws a DOMException: what `atob` and `structuredClone` do. As in Node its only own property is `stack`; name
 * and message are read back from it, and a program that has overwritten the stack is refused.
 */
export function throwDomException(context: HostContext, name: string, message: string): never {
  const error = context.newError("DOMException", message);
  error.remove("message");
  error.attributes?.delete("message");
  putHidden(error, "stack", String(error.read("stack")).replace(/^DOMException/, name));
  throw new Thrown(error);
}

const CODES: Readonly<Record<string, number>> = { InvalidCharacterError: 5, DataCloneError: 25 };

function domException(context: HostContext, self: Value): { name: string; message: string } {
  if (!(self instanceof VError) || !isDomException(self)) {
    throwError(context, "TypeError", 'Value of "this" must be of DOMException');
  }
  const stack = self.read("stack");
  const head = typeof stack === "string" ? /^(\w+): ([^]*?)(?:\n {4}at [^]*)?$/.exec(stack) : null;
  if (head === null) unsupported("a DOMException whose stack was overwritten");
  return { name: head[1]!, message: head[2]! };
}
