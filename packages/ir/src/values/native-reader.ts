import type { Codec } from "./codec.ts";
import { namesByPrototypeOf, namesOfError, rememberedNames } from "./native-error-names.ts";
import type { NativeErrorClasses } from "./native-error-names.ts";
import { nativeKindOf } from "./native-kind.ts";
import { unstorable } from "./not-storable.ts";
import type { Unstorable } from "./not-storable.ts";
import type { CodecParts, ErrorParts, ValueKind, ValueReader } from "./reader.ts";

/** Reads host JavaScript values. Getters run, and count as the properties they look like. */
export function nativeReader(codecs: readonly Codec[] = [], errorClasses?: NativeErrorClasses): ValueReader<unknown> {
  return new NativeReader(codecs, errorClasses === undefined ? NO_NAMES : namesByPrototypeOf(errorClasses));
}

const NO_NAMES: ReadonlyMap<object, string> = new Map();

// The kinds are decided once, by kindOf; what the casts below claim was proven there.
class NativeReader implements ValueReader<unknown> {
  readonly #codecs: readonly Codec[];
  readonly #errorNames: ReadonlyMap<object, string>;

  constructor(codecs: readonly Codec[], errorNames: ReadonlyMap<object, string>) {
    this.#codecs = codecs;
    this.#errorNames = errorNames;
  }

  kindOf(value: unknown): ValueKind | Unstorable {
    return nativeKindOf(value, this.#codecs);
  }

  keys(value: unknown): readonly string[] {
    const keys = Object.keys(value as object);
    return Array.isArray(value) ? keys.slice(firstName(keys)) : keys;
  }

  get(value: unknown, key: string): unknown {
    return (value as Record<string, unknown>)[key];
  }

  length(value: unknown): number {
    return (value as unknown[]).length;
  }

  at(value: unknown, index: number): unknown {
    return (value as unknown[])[index];
  }

  indices(value: unknown): readonly number[] {
    const keys = Object.keys(value as unknown[]);
    return keys.slice(0, firstName(keys)).map(Number);
  }

  entries(value: unknown): readonly unknown[] {
    const entries: unknown[] = [];
    Map.prototype.forEach.call(value as Map<unknown, unknown>, (each, key) => entries.push(key, each));
    return entries;
  }

  members(value: unknown): readonly unknown[] {
    const members: unknown[] = [];
    Set.prototype.forEach.call(value as Set<unknown>, (each) => members.push(each));
    return members;
  }

  time(value: unknown): number {
    return Date.prototype.getTime.call(value as Date);
  }

  bytes(value: unknown): Uint8Array {
    return value as Uint8Array;
  }

  href(value: unknown): string {
    return (value as URL).href;
  }

  params(value: unknown): readonly (readonly [string, string])[] {
    return [...(value as URLSearchParams)];
  }

  error(value: unknown): ErrorParts {
    const error = value as Error;
    // A DOMException (an aborted fetch) keeps name and message in accessors of its prototype.
    const isDomException = Object.prototype.toString.call(error) === "[object DOMException]";
    const message = isDomException || Object.hasOwn(error, "message") ? readSafely(error, "message") : undefined;
    const hasMessage = typeof message === "string";
    const hasErrors = Object.hasOwn(error, "errors") && !isEnumerable(error, "errors");
    const keys = Object.keys(error).filter(
      (key) => key !== "stack" && key !== "cause" && !(key === "message" && hasMessage),
    );
    if (hasName(error, isDomException) && !keys.includes("name")) keys.unshift("name");
    if (message !== undefined && !hasMessage && !keys.includes("message")) keys.unshift("message");
    return {
      names: namesOfError(error, this.#errorNames),
      message: hasMessage ? message : undefined,
      hasCause: Object.hasOwn(error, "cause"),
      hasErrors,
      keys,
    };
  }

  codec(value: unknown): CodecParts<unknown> {
    const codec = this.#codecs.find((each) => each.matches(value as object))!;
    return { name: codec.name, payload: codec.encode(value) };
  }

  explain(thrown: unknown): Unstorable {
    return unstorable("threw", describe(thrown), { options: { cause: thrown } });
  }
}

/** Where the keys of an array cease to be indices. */
function firstName(keys: readonly string[]): number {
  // Array indices are the whole numbers below 2^32 − 1, and stand first.
  const at = keys.findIndex((key) => String(Number(key) >>> 0) !== key || key === "4294967295");
  return at === -1 ? keys.length : at;
}

/** Whether the error has a name of its own, other than the one given to it when its class was not known. */
function hasName(error: object, isDomException: boolean): boolean {
  if (isDomException) return true;
  return Object.hasOwn(error, "name") && rememberedNames(error) === undefined;
}

function isEnumerable(object: object, key: string): boolean {
  return Object.prototype.propertyIsEnumerable.call(object, key);
}

function readSafely(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function describe(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "an object without a text";
  }
}
