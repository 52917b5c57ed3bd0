import { decodeNative, encodeValue, type NativeErrorClass, type NativeErrorClasses, nativeReader } from "@cairnjs/ir";
import { codecs } from "./codec.ts";
import { ENGINE_ERRORS } from "./errors.ts";

export interface EncodedCopy {
  readonly text: string;
  /** Classes of the errors in it: `instanceof` still holds for a copy that is decoded with them. */
  readonly classes: NativeErrorClasses;
}

/** Encodes as for storage. `root` is what the path of a NotStorable error begins with. */
export function encodeCopy(value: unknown, root: string): EncodedCopy {
  const classes = new Map(ENGINE_ERRORS);
  const reader = nativeReader(codecs(), ENGINE_ERRORS);
  const parts = reader.error.bind(reader);
  const recording = Object.assign(reader, {
    error(error: unknown) {
      addErrorClasses(error as object, classes);
      return parts(error);
    },
  });
  return { text: encodeValue(value, recording, root), classes };
}

export function decodeCopy({ text, classes }: EncodedCopy): unknown {
  return decodeNative(text, { codecs: codecs(), errorClasses: classes });
}

/** What a value is after it was stored and loaded. */
export function copyOf<T>(value: T, root: string): T {
  return decodeCopy(encodeCopy(value, root)) as T;
}

function addErrorClasses(error: object, classes: Map<string, NativeErrorClass>): void {
  let prototype: object | null = Object.getPrototypeOf(error);
  while (prototype !== null && prototype !== Error.prototype && prototype !== Object.prototype) {
    const maker: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
    if (typeof maker === "function" && !classes.has(maker.name)) classes.set(maker.name, maker as NativeErrorClass);
    prototype = Object.getPrototypeOf(prototype);
  }
}
