import { VDurable, VSignal } from "../heap/durable.ts";
import { VBuiltin, VClosure, UNINIT } from "../heap/function.ts";
import type { Shape } from "../heap/shape.ts";
import { UNSUPPORTED } from "../heap/unsupported.ts";
import { VIntrinsic, VObject } from "../heap/value.ts";
import type { Slot } from "../machine/frame.ts";
import type { Image } from "../machine/image.ts";
import type { HeapObject, Out } from "./layout.ts";
import { Tag } from "./tags.ts";
import { Writer } from "./writer.ts";

/** What a stream asks of the encoding that it belongs to. */
export interface Numbering {
  readonly image: Image;
  numberOf(object: HeapObject): number;
  /** Keeps a long text apart, and gives its digest. */
  blob(text: string): string | null;
}

/** Fields, values and references as bytes. */
export class Stream extends Writer implements Out {
  private readonly texts = new Map<string, number>();
  private readonly nameLists = new Map<string, number>();
  private readonly shapes = new Map<Shape, number>();
  private readonly encoder: Numbering;

  constructor(encoder: Numbering) {
    super();
    this.encoder = encoder;
  }

  key(text: string): void {
    const number = this.texts.get(text);
    if (number !== undefined) {
      this.uint(number + 1);
      return;
    }
    this.uint(0);
    this.text(text);
    this.texts.set(text, this.texts.size);
  }

  names(object: VObject): readonly string[] {
    const { shape } = object;
    const known = shape === null ? undefined : this.shapes.get(shape);
    if (known !== undefined) {
      this.uint(known + 1);
      return shape!.keys;
    }
    const keys = object.keys();
    // Two objects with the same names are written alike, whatever way their names are kept in memory.
    const joined = JSON.stringify(keys);
    let number = this.nameLists.get(joined);
    this.uint(number === undefined ? 0 : number + 1);
    if (number === undefined) {
      number = this.nameLists.size;
      this.nameLists.set(joined, number);
      this.uint(keys.length);
      for (const key of keys) this.key(key);
    }
    if (shape !== null) this.shapes.set(shape, number);
    return keys;
  }

  /** Only who measures wants to know. */
  weigh(): void {}

  value(value: Slot): void {
    switch (typeof value) {
      case "undefined":
        this.byte(Tag.Undefined);
        return;
      case "boolean":
        this.byte(value ? Tag.True : Tag.False);
        return;
      case "number":
        this.number(value);
        return;
      case "string":
        this.string(value);
        return;
      case "bigint":
        this.byte(Tag.Bigint);
        this.text(value.toString(16));
        return;
      default:
        this.reference(value);
    }
  }

  private number(value: number): void {
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 51 && !Object.is(value, -0)) {
      this.byte(Tag.Int);
      this.int(value);
    } else {
      this.byte(Tag.Double);
      this.double(value);
    }
  }

  private string(value: string): void {
    const number = this.texts.get(value);
    if (number !== undefined) {
      this.byte(Tag.SameText);
      this.uint(number);
      return;
    }
    const digest = this.encoder.blob(value);
    if (digest === null) {
      this.byte(Tag.Text);
      this.text(value);
    } else {
      this.byte(Tag.Blob);
      this.text(digest);
    }
    this.texts.set(value, this.texts.size);
  }

  private reference(value: Exclude<Slot, string | number | boolean | bigint | undefined>): void {
    if (value === null) {
      this.byte(Tag.Null);
    } else if (value === UNINIT) {
      this.byte(Tag.Uninit);
    } else {
      const object = value as HeapObject;
      if (object instanceof VObject && object.captured) this.shared(object);
      else {
        this.byte(Tag.Object);
        this.uint(this.encoder.numberOf(object));
      }
    }
  }

  /** Objects of the realm and of the program are named, not written. */
  private shared(object: VObject): void {
    if (object === UNSUPPORTED) {
      this.byte(Tag.Unsupported);
    } else if (object instanceof VIntrinsic || object instanceof VBuiltin) {
      this.byte(Tag.Intrinsic);
      this.key(object.path);
    } else if ((object instanceof VDurable || object instanceof VSignal) && object.index >= 0) {
      this.byte(Tag.Durable);
      this.uint(object.index);
    } else if (object instanceof VClosure && object.unit.prelude) {
      this.byte(Tag.PreludeFunction);
      this.uint(object.unit.index);
    } else {
      const number = this.encoder.image.capturedNumbers.get(object);
      if (number === undefined) throw new Error("a constant that the program does not have");
      this.byte(Tag.Captured);
      this.uint(number);
    }
  }
}
