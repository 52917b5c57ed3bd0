import type { HostContext } from "../machine/host.ts";

/**
 * Finds a text in another. The host's search is fast as a rule and takes the product of both lengths in the worst
 * case; where that product is large, Knuth, Morris and Pratt's takes their sum.
 */
export class TextSearch {
  readonly #context: HostContext;
  readonly #text: string;
  readonly #sought: string;
  /** For each prefix of what is sought, the length of its longest proper border; null when the host searches. */
  readonly #borders: Int32Array | null;

  constructor(context: HostContext, text: string, sought: string) {
    this.#context = context;
    this.#text = text;
    this.#sought = sought;
    const isSimple = sought.length <= HOST_SOUGHT_MAX || text.length * sought.length <= HOST_STEPS_MAX;
    this.#borders = isSimple || sought.length > text.length ? null : bordersOf(context, sought, 1);
  }

  /** The first place at or after `from`, or -1. */
  next(from: number): number {
    const found = this.#borders === null ? this.#text.indexOf(this.#sought, from) : this.#scan(this.#borders, from);
    const end = found < 0 ? this.#text.length : found;
    const start = Math.min(Math.max(0, from), end);
    this.#context.charge(1 + (end - start) / (this.#borders === null ? 8 : 1), 0);
    return found;
  }

  #scan(borders: Int32Array, from: number): number {
    const text = this.#text;
    const sought = this.#sought;
    let matched = 0;
    for (let at = Math.max(0, from); at < text.length; at++) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && unit !== sought.charCodeAt(matched)) matched = borders[matched - 1]!;
      if (unit === sought.charCodeAt(matched)) matched++;
      if (matched === sought.length) return at - matched + 1;
    }
    return -1;
  }
}

/** Up to this length, comparing at every place is cheap enough. */
const HOST_SOUGHT_MAX = 8;
const HOST_STEPS_MAX = 1 << 16;

/** The last place at or before `from`, or -1; V8's own search compares at every place. */
export function lastIndexOfText(context: HostContext, text: string, sought: string, from: number): number {
  const isSimple = sought.length <= HOST_SOUGHT_MAX || text.length * sought.length <= HOST_STEPS_MAX;
  context.charge(1 + text.length / (isSimple ? 4 : 1), 0);
  if (isSimple || sought.length > text.length) return text.lastIndexOf(sought, from);
  const borders = bordersOf(context, sought, -1);
  const last = sought.length - 1;
  // Number.NaN means the end, as it does for the host.
  const start = Number.isNaN(from) ? text.length : Math.min(Math.max(Math.trunc(from), 0), text.length);
  let matched = 0;
  for (let at = Math.min(start + last, text.length - 1); at >= 0; at--) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && unit !== sought.charCodeAt(last - matched)) matched = borders[matched - 1]!;
    if (unit === sought.charCodeAt(last - matched)) matched++;
    if (matched === sought.length) return at;
  }
  return -1;
}

/** Of the text's prefixes, or with `direction` -1 of its suffixes read backwards. */
function bordersOf(context: HostContext, text: string, direction: 1 | -1): Int32Array {
  context.charge(text.length, text.length * 4);
  const unitAt = (index: number): number => text.charCodeAt(direction === 1 ? index : text.length - 1 - index);
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let index = 1; index < text.length; index++) {
    while (length > 0 && unitAt(index) !== unitAt(length)) length = borders[length - 1]!;
    if (unitAt(index) === unitAt(length)) length++;
    borders[index] = length;
  }
  return borders;
}
