import {
  type Codec,
  decodeParsed,
  decodeValue,
  encodeValue,
  nativeBuilder,
  type NativeErrorClass,
  type NativeErrorClasses,
  nativeReader,
  NotStorable,
} from "@cairnjs/ir/web";
import { codecs } from "./codec.ts";
import { ENGINE_ERRORS } from "./errors.ts";
import { CLOSED } from "./sealed.ts";
import { copyStacks, setMessage } from "./stacks.ts";

export interface EncodedCopy {
  readonly text: string;
  /** Classes of the errors in it: `instanceof` still holds for a copy that is decoded with them. */
  readonly classes: NativeErrorClasses;
  /** What it is a copy of, if that was thrown: stacks are not stored, but in this process they can be kept. */
  readonly thrown?: unknown;
}

/** One that was read with what stands around it. */
export interface ParsedCopy extends Pick<EncodedCopy, "classes"> {
  readonly json: unknown;
}

/** Encodes as for storage. `root` is what the path of a NotStorable error begins with, `sealed` how sealed values are written. */
export function encodeCopy(value: unknown, root: string, sealed: Codec = CLOSED): EncodedCopy {
  const reader = nativeReader([sealed, ...codecs()], ENGINE_ERRORS);
  const parts = reader.error.bind(reader);
  let classes: Map<string, NativeErrorClass> | null = null;
  reader.error = (error) => {
    classes ??= new Map(ENGINE_ERRORS);
    addErrorClasses(error as object, classes);
    return parts(error);
  };
  const text = encodeValue(value, reader, root);
  return { text, classes: classes ?? ENGINE_ERRORS };
}

/** What an action returned: of one that cannot be stored people want to know whose it is. */
export function encodeResult(action: string, result: unknown, sealed?: Codec): EncodedCopy {
  try {
    return encodeCopy(result, "result", sealed);
  } catch (error) {
    if (error instanceof NotStorable) setMessage(error, `${action}: ${error.message}`);
    throw error;
  }
}

/** Something that cannot be stored may be thrown too; that it cannot is then the error. */
export function encodeThrown(thrown: unknown, sealed?: Codec): EncodedCopy {
  try {
    return { ...encodeCopy(thrown, "error", sealed), thrown };
  } catch (error) {
    if (!(error instanceof NotStorable)) throw error;
    return { ...encodeCopy(error, "error"), thrown: error };
  }
}

export function decodeCopy(copy: EncodedCopy | ParsedCopy, sealed: Codec = CLOSED): unknown {
  const builder = nativeBuilder([sealed, ...codecs()], copy.classes);
  if ("json" in copy) return decodeParsed(copy.json, builder);
  const value = decodeValue(copy.text, builder);
  copyStacks(copy.thrown, value);
  return value;
}

/** What a value is after it was stored and loaded. */
export function copyOf<T>(value: T, root: string, sealed?: Codec): T {
  return decodeCopy(encodeCopy(value, root, sealed), sealed) as T;
}

function addErrorClasses(error: object, classes: Map<string, NativeErrorClass>): void {
  let prototype: object | null = Object.getPrototypeOf(error);
  while (prototype !== null && prototype !== Error.prototype && prototype !== Object.prototype) {
    const maker: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
    if (typeof maker === "function" && !classes.has(maker.name)) classes.set(maker.name, maker as NativeErrorClass);
    prototype = Object.getPrototypeOf(prototype);
  }
}
