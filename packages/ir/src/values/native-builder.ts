import type { Primitive, ValueBuilder } from "./builder.ts";
import type { Codec } from "./codec.ts";
import { namesByPrototypeOf, namesOfPrototype, rememberNames } from "./native-error-names.ts";
import type { NativeErrorClass, NativeErrorClasses } from "./native-error-names.ts";

/** Makes host JavaScript values. Errors of classes not in the list are errors of the nearest class known. */
export function nativeBuilder(
  codecs: readonly Codec[] = [],
  errorClasses: NativeErrorClasses = NO_CLASSES,
): ValueBuilder<unknown> {
  return new NativeBuilder(codecs, errorClasses);
}

const NO_CLASSES: NativeErrorClasses = new Map();

const BUILT_IN_ERRORS: NativeErrorClasses = new Map<string, NativeErrorClass>([
  ["Error", Error],
  ["TypeError", TypeError],
  ["RangeError", RangeError],
  ["SyntaxError", SyntaxError],
  ["ReferenceError", ReferenceError],
  ["EvalError", EvalError],
  ["URIError", URIError],
  ["AggregateError", AggregateError],
]);

/** Above this an array of holes is made as a dictionary. */
const ALLOCATED_HOLES_MAX = 1024;

// The decoder hands back only what this builder made; that is what the casts below rest on.
class NativeBuilder implements ValueBuilder<unknown> {
  readonly #codecs: readonly Codec[];
  readonly #errorClasses: NativeErrorClasses;
  readonly #errorNames: ReadonlyMap<object, string>;

  constructor(codecs: readonly Codec[], errorClasses: NativeErrorClasses) {
    this.#codecs = codecs;
    this.#errorClasses = errorClasses;
    this.#errorNames = namesByPrototypeOf(errorClasses);
  }

  primitive(value: Primitive): unknown {
    return value;
  }

  object(): unknown {
    return {};
  }

  define(target: unknown, key: string, value: unknown): void {
    if (target instanceof Error) {
      // Deleted first, so that a name given for want of the class does not keep its place before others.
      delete (target as unknown as Record<string, unknown>)[key];
      defineOwn(target, key, value, true);
    } else if (key in (target as object)) {
      // Inherited: assigning would set the prototype (`__proto__`), or fail if Object.prototype is frozen.
      defineOwn(target as object, key, value, true);
    } else (target as Record<string, unknown>)[key] = value;
  }

  array(): unknown {
    return [];
  }

  append(array: unknown, value: unknown): void {
    (array as unknown[]).push(value);
  }

  sparse(length: number): unknown {
    const array: unknown[] = [];
    // V8 allocates for a length of up to 32 million (240 MB), unless the array is a dictionary already,
    // which an element at the far end makes it. One that is filled afterwards becomes an ordinary one again.
    if (length > ALLOCATED_HOLES_MAX) {
      array[2 ** 32 - 2] = undefined;
      array.length = 2 ** 32 - 2;
    }
    array.length = length;
    return array;
  }

  setElement(array: unknown, index: number, value: unknown): void {
    (array as unknown[])[index] = value;
  }

  map(): unknown {
    return new Map();
  }

  setEntry(map: unknown, key: unknown, value: unknown): void {
    (map as Map<unknown, unknown>).set(key, value);
  }

  set(): unknown {
    return new Set();
  }

  addMember(set: unknown, value: unknown): void {
    (set as Set<unknown>).add(value);
  }

  date(time: number): unknown {
    return new Date(time);
  }

  bytes(bytes: Uint8Array): unknown {
    return bytes;
  }

  url(href: string): unknown {
    return new URL(href);
  }

  params(pairs: readonly (readonly [string, string])[]): unknown {
    const params = new URLSearchParams();
    for (const [name, value] of pairs) params.append(name, value);
    return params;
  }

  error(names: readonly string[], message: string | undefined): unknown {
    const known = names.find((name) => this.#errorClasses.has(name) || BUILT_IN_ERRORS.has(name)) ?? "Error";
    const errorClass = this.#errorClasses.get(known) ?? BUILT_IN_ERRORS.get(known) ?? Error;
    // Error's constructor with the class's prototype: the class's own may demand arguments.
    const error: object = Reflect.construct(Error, message === undefined ? [] : [message], errorClass);
    const name = names[0]!;
    // What V8 has captured are the frames of this decoder. Deleted first: redefining would format them (5 µs).
    delete (error as { stack?: string }).stack;
    defineOwn(error, "stack", message === undefined || message === "" ? name : `${name}: ${message}`, false);
    if (name !== known) defineOwn(error, "name", name, false);
    if (!sameNames(names, namesOfPrototype(errorClass.prototype, this.#errorNames))) rememberNames(error, names);
    return error;
  }

  setCause(error: unknown, cause: unknown): void {
    defineOwn(error as object, "cause", cause, false);
  }

  setErrors(error: unknown, errors: unknown): void {
    defineOwn(error as object, "errors", errors, false);
  }

  codec(name: string, payload: unknown): unknown {
    const codec = this.#codecs.find((each) => each.name === name);
    if (codec === undefined) throw new Error(`no codec ${JSON.stringify(name)} is registered`);
    return codec.decode(payload);
  }

  explain(thrown: unknown): string {
    return thrown instanceof Error ? thrown.message : "its codec refuses it";
  }
}

function defineOwn(target: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
