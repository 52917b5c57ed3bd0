import { UNINIT, VCell } from "../heap/function.ts";
import { shapeOf } from "../heap/shape.ts";
import { UNSUPPORTED } from "../heap/unsupported.ts";
import type { Value } from "../heap/value.ts";
import { Frame, type Slot } from "../machine/frame.ts";
import type { Image } from "../machine/image.ts";
import type { PreludeImage } from "../prelude/prelude.ts";
import type { HeapObject, In, NameList } from "./layout.ts";
import { Reader, invalid } from "./reader.ts";
import { Tag } from "./tags.ts";

export type FindBlob = (digest: string) => Uint8Array | undefined;

export class Input extends Reader implements In {
  readonly image: Image;
  readonly prelude: PreludeImage;
  private readonly objects: readonly HeapObject[];
  private readonly texts: string[] = [];
  private readonly nameLists: NameList[] = [];
  private readonly findBlob: FindBlob;

  constructor(
    bytes: Uint8Array,
    image: Image,
    prelude: PreludeImage,
    objects: readonly HeapObject[],
    findBlob: FindBlob,
  ) {
    super(bytes);
    this.image = image;
    this.prelude = prelude;
    this.objects = objects;
    this.findBlob = findBlob;
  }

  key(): string {
    const number = this.uint();
    if (number > 0) return this.known(number - 1);
    const text = this.text();
    this.texts.push(text);
    return text;
  }

  names(): NameList {
    const number = this.uint();
    if (number > 0) {
      const known = this.nameLists[number - 1];
      if (known === undefined) invalid("names that do not stand earlier");
      return known;
    }
    const keys = Array.from({ length: this.count() }, () => this.key());
    if (new Set(keys).size !== keys.length) invalid("a name that stands twice");
    const list = { keys, shape: shapeOf(keys) };
    this.nameLists.push(list);
    return list;
  }

  value(): Value {
    const slot = this.slot();
    if (slot === UNINIT || slot instanceof VCell || slot instanceof Frame)
      invalid("a cell or frame where a value stands");
    return slot as Value;
  }

  object<T extends HeapObject>(type: abstract new (...args: never[]) => T): T {
    const slot = this.slot();
    if (!(slot instanceof type)) invalid(`something else where a ${type.name} stands`);
    return slot;
  }

  optional<T extends HeapObject>(type: abstract new (...args: never[]) => T): T | null {
    const slot = this.slot();
    if (slot === null) return null;
    if (!(slot instanceof type)) invalid(`something else where a ${type.name} stands`);
    return slot;
  }

  slot(): Slot {
    switch (this.byte()) {
      case Tag.Undefined:
        return undefined;
      case Tag.Null:
        return null;
      case Tag.True:
        return true;
      case Tag.False:
        return false;
      case Tag.Int:
        return this.int();
      case Tag.Double:
        return this.double();
      case Tag.Text: {
        const text = this.text();
        this.texts.push(text);
        return text;
      }
      case Tag.SameText:
        return this.known(this.uint());
      case Tag.Blob:
        return this.blobText();
      case Tag.Bigint:
        return this.bigint();
      case Tag.Uninit:
        return UNINIT;
      case Tag.Unsupported:
        return UNSUPPORTED;
      default:
        this.back();
        return this.reference();
    }
  }

  private reference(): Slot {
    const tag = this.byte();
    const found = this.find(tag);
    if (found === undefined) invalid(`a reference to nothing (${tag})`);
    return found as Slot;
  }

  private find(tag: number): HeapObject | undefined {
    switch (tag) {
      case Tag.Object:
        return this.objects[this.uint() - 1];
      case Tag.Intrinsic:
        return this.image.realm.intrinsics.get(this.key());
      case Tag.Captured:
        return this.image.captured[this.uint()];
      case Tag.Durable:
        return this.image.durables[this.uint()];
      case Tag.PreludeFunction:
        return this.prelude.functions[this.uint()];
      default:
        return undefined;
    }
  }

  private known(number: number): string {
    const text = this.texts[number];
    if (text === undefined) invalid("a text that does not stand earlier");
    return text;
  }

  private blobText(): string {
    const digest = this.text();
    const bytes = this.findBlob(digest);
    if (bytes === undefined) invalid(`the blob ${digest} is missing`);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf16le");
    this.texts.push(text);
    return text;
  }

  private bigint(): bigint {
    const text = this.text();
    const match = /^(-?)([0-9a-f]+)$/.exec(text);
    if (match === null) invalid("a bigint that is none");
    const magnitude = BigInt(`0x${match[2]}`);
    return match[1] === "-" ? -magnitude : magnitude;
  }
}
