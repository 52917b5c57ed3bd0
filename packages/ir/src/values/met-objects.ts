import type { Frame } from "./encode-frame.ts";

/** Up to this many objects are looked for one by one: a Map for a handful costs more than the whole encoding. */
const SCANNED_MAX = 8;

/** The objects met so far, in the order of meeting; the latest can be forgotten again. */
export class MetObjects<V> {
  readonly frames: Frame<V>[] = [];
  #byValue: Map<V, Frame<V>> | undefined;

  find(value: V): Frame<V> | undefined {
    if (this.#byValue !== undefined) return this.#byValue.get(value);
    for (const frame of this.frames) if (frame.value === value) return frame;
    return undefined;
  }

  add(frame: Frame<V>): void {
    this.frames.push(frame);
    if (this.#byValue !== undefined) this.#byValue.set(frame.value, frame);
    else if (this.frames.length > SCANNED_MAX) {
      this.#byValue = new Map(this.frames.map((each) => [each.value, each]));
    }
  }

  forgetFrom(count: number): void {
    for (const frame of this.frames.splice(count)) this.#byValue?.delete(frame.value);
  }
}
