import { defineField, putHidden } from "../heap/properties.ts";
import { Kind, VObject, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, Thrown } from "../machine/host.ts";
import { constructorName } from "./printed.ts";

/** Throws an error with a `code`, as Node's own JavaScript does for URL, encodings and base64. */
export function throwNodeError(context: HostContext, className: string, code: string, message: string): never {
  const error = context.newError(className, message);
  const stack = error.read("stack");
  if (typeof stack === "string") putHidden(error, "stack", stack.replace(className, `${className} [${code}]`));
  defineField(context, error, "code", code);
  throw new Thrown(error);
}

export function requireArguments(context: HostContext, args: readonly Value[], ...names: string[]): void {
  if (args.length >= names.length) return;
  const quoted = names.map((name) => `"${name}"`).join(" and ");
  const noun = names.length === 1 ? "argument" : "arguments";
  throwNodeError(context, "TypeError", "ERR_MISSING_ARGS", `The ${quoted} ${noun} must be specified`);
}

export function throwInvalidThis(context: HostContext, className: string): never {
  throwNodeError(context, "TypeError", "ERR_INVALID_THIS", `Value of "this" must be of type ${className}`);
}

/** `expected` reads on from "must be": `of type string`. */
export function throwInvalidType(context: HostContext, name: string, expected: string, value: Value): never {
  const message = `The "${name}" argument must be ${expected}. Received ${received(value)}`;
  throwNodeError(context, "TypeError", "ERR_INVALID_ARG_TYPE", message);
}

function received(value: Value): string {
  if (value === undefined || value === null) return String(value);
  if (!(value instanceof VObject)) return `type ${typeof value} (${shown(value)})`;
  const { kind } = value;
  if (isCallable(value)) {
    const name = value.read("name");
    return typeof name === "string" && name !== "" ? `function ${name}` : "function ";
  }
  const className = constructorName(value);
  return className === "" && kind === Kind.Object ? "[Object: null prototype] {}" : `an instance of ${className}`;
}

function shown(value: Exclude<Value, VObject>): string {
  if (typeof value === "string") {
    const text = value.length > 28 ? `${value.slice(0, 25)}...` : value;
    return text.includes("'") ? JSON.stringify(text) : `'${text}'`;
  }
  if (typeof value === "bigint") return `${value}n`;
  return Object.is(value, -0) ? "-0" : String(value);
}
