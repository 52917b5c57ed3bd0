import type { VCell, VObject, Value } from "../heap/value.ts";
import type { Frame, Slot } from "../machine/frame.ts";
import type { Image } from "../machine/image.ts";
import type { PreludeImage } from "../prelude/prelude.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

/** Everything that has a number in a snapshot. */
export type HeapObject = VObject | VCell | Frame;

/** Where a layout writes: raw fields, and values with references. */
export interface Out extends Writer {
  value(value: Slot): void;
  /** Text that often comes again: written once, then by number. */
  key(text: string): void;
}

export interface In extends Reader {
  readonly image: Image;
  readonly prelude: PreludeImage;
  slot(): Slot;
  /** A slot that must be a value that programs can hold. */
  value(): Value;
  key(): string;
  /** A reference to an object of this class, and nothing else. */
  object<T extends HeapObject>(type: abstract new (...args: never[]) => T): T;
  optional<T extends HeapObject>(type: abstract new (...args: never[]) => T): T | null;
}

/**
 * How one kind of object is stored. The shell is what it takes to create the object; all shells are read before
 * any body, so that bodies may refer to any object, in cycles too.
 */
export interface Layout<T extends HeapObject> {
  shell(object: T, out: Out): void;
  make(from: In): T;
  body(object: T, out: Out): void;
  fill(object: T, from: In): void;
}

/** The fields of a class that are written once, at creation: here too, a little later. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
