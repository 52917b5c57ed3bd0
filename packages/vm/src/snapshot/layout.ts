import type { Shape } from "../heap/shape.ts";
import type { VCell } from "../heap/function.ts";
import type { VObject, Value } from "../heap/value.ts";
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
  /** Writes the names of an object's properties, or the number of the list if it stands earlier; returns them. */
  names(object: VObject): readonly string[];
  /** Tells of memory that the object takes and the snapshot does not. */
  weigh(bytes: number): void;
}

export interface In extends Reader {
  readonly image: Image;
  readonly prelude: PreludeImage;
  slot(): Slot;
  /** A slot that must be a value that programs can hold. */
  value(): Value;
  key(): string;
  names(): NameList;
  /** A reference to an object of this class, and nothing else. */
  object<T extends HeapObject>(type: abstract new (...args: never[]) => T): T;
  optional<T extends HeapObject>(type: abstract new (...args: never[]) => T): T | null;
}

/** Names in order, and the shape that has just these, if there is one. */
export interface NameList {
  readonly keys: readonly string[];
  readonly shape: Shape | null;
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
