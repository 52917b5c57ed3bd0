import { inspect } from "node:util";

/**
 * What a handler logs, as a message between threads can carry it. Errors are taken apart: a clone would lose their class and all
 * properties beside message, stack and cause, and would fail where one of these is a function.
 */
export type Told =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "list"; readonly items: readonly Told[] }
  | ToldError;

interface ToldError {
  readonly kind: "error";
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly properties: readonly ToldProperty[];
}

interface ToldProperty {
  readonly key: string;
  readonly isEnumerable: boolean;
  readonly told: Told;
}

/** Errors within errors, such as causes, which may be circular. */
const DEPTH_MAX = 5;
/** Of an error, and of a list of errors. */
const ITEMS_MAX = 100;
const UNREADABLE = "(cannot be read)";
/** They are told by themselves. */
const OWN = new Set(["name", "message", "stack"]);

/** Never throws: what no message can carry is told as text. */
export function tell(value: unknown, depth = 0): Told {
  try {
    if (depth < DEPTH_MAX && value instanceof Error) return tellError(value, depth);
    if (depth < DEPTH_MAX && Array.isArray(value) && value.some((each) => each instanceof Error)) {
      return { kind: "list", items: value.slice(0, ITEMS_MAX).map((each) => tell(each, depth + 1)) };
    }
    return { kind: "value", value: structuredClone(value) };
  } catch {
    return { kind: "value", value: textOf(value) };
  }
}

function tellError(error: Error, depth: number): ToldError {
  const keys = Object.getOwnPropertyNames(error).filter((key) => !OWN.has(key));
  const properties = keys.slice(0, ITEMS_MAX).map((key) => ({
    key,
    isEnumerable: Object.prototype.propertyIsEnumerable.call(error, key),
    told: tell(propertyOf(error, key), depth + 1),
  }));
  const { name, message, stack } = error;
  return {
    kind: "error",
    type: textOf(error.constructor.name),
    name: textOf(name),
    message: textOf(message),
    stack: textOf(stack ?? ""),
    properties,
  };
}

function propertyOf(error: Error, key: string): unknown {
  try {
    return (error as unknown as Record<string, unknown>)[key];
  } catch {
    return UNREADABLE;
  }
}

function textOf(value: unknown): string {
  try {
    return typeof value === "string" ? value : inspect(value);
  } catch {
    return UNREADABLE;
  }
}

/** What was told, as the loggers of the main thread know it. */
export function heard(told: Told): unknown {
  if (told.kind === "value") return told.value;
  return told.kind === "list" ? told.items.map(heard) : heardError(told);
}

function heardError({ type, name, message, stack, properties }: ToldError): Error {
  // `pino` asks for the name of the class, which is in the thread alone.
  const { [type]: Class } = { [type]: class extends Error {} };
  const error = new Class!(message);
  const set = (key: string, value: unknown, enumerable: boolean): void =>
    void Object.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
  set("name", name, false);
  set("stack", stack, false);
  for (const { key, isEnumerable, told } of properties) set(key, heard(told), isEnumerable);
  return error;
}
