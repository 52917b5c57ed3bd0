import { InvalidProgram } from "./invalid-program.ts";
import { programLimits } from "./limits.ts";

/**
 * Readers of untrusted fields. Each returns the value with its type or throws `InvalidProgram`; none follows the
 * input deeper than the caller asks, so cycles and depth cannot harm.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** A plain object with exactly these fields; inherited ones do not count, unknown ones are refused. */
export function fieldsOf(
  value: unknown,
  path: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Fields {
  const fields = plainObject(value, path);
  for (const key of Object.keys(fields)) {
    if (!required.includes(key) && !optional.includes(key)) fail(path, `unknown field ${shorten(key)}`);
  }
  for (const key of required) {
    if (!Object.hasOwn(fields, key)) fail(path, `field ${key} is missing`);
  }
  return fields;
}

/** A plain object whose keys are data. */
export function plainObject(value: unknown, path: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(path, "is not an object");
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) fail(path, "is not a plain object");
  return value as Fields;
}

export function listOf(value: unknown, path: string, lengthMax: number): readonly unknown[] {
  if (!Array.isArray(value)) fail(path, "is not a list");
  if (value.length > lengthMax) fail(path, `has ${value.length} entries, at most ${lengthMax} are allowed`);
  return value;
}

/** Reads every entry with `read`, which is told the entry's own path. */
export function eachOf<T>(
  value: unknown,
  path: string,
  lengthMax: number,
  read: (entry: unknown, path: string) => T,
): readonly T[] {
  const list = listOf(value, path, lengthMax);
  const result: T[] = [];
  for (let index = 0; index < list.length; index += 1) result.push(read(list[index], `${path}[${index}]`));
  return result;
}

export function text(value: unknown, path: string, lengthMax: number = programLimits.nameLengthMax): string {
  if (typeof value !== "string") fail(path, "is not a string");
  if (value.length > lengthMax) fail(path, `has ${value.length} characters, at most ${lengthMax} are allowed`);
  return value;
}

export function flag(value: unknown, path: string): boolean {
  if (typeof value !== "boolean") fail(path, "is not true or false");
  return value;
}

/** `-0` is refused: it would serialise as 0, so two programs with one hash could differ. */
export function integer(value: unknown, path: string, min: number, max: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || Object.is(value, -0)) fail(path, "is not an integer");
  if (value < min || value > max) fail(path, `is ${value}, allowed are ${min} to ${max}`);
  return value;
}

export function oneOf<T extends string>(value: unknown, path: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) fail(path, `is not one of ${allowed.join(", ")}`);
  return found;
}

export function fail(path: string, reason: string): never {
  throw new InvalidProgram(path, reason);
}

function shorten(key: string): string {
  return JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key);
}
