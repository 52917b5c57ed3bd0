import { Kind, VObject, type Value } from "./value.ts";

const DEAD = -1;

/**
 * The entries of a Map or Set, in order of insertion, live under change while cursors walk them.
 *
 * Owns: keys, values, and which of them are deleted. A cursor is the serial number of the next entry to visit;
 * serials only grow, so removing dead entries (compaction) and `clear` never confuse one.
 */
export class Entries {
  private keys: Value[] = [];
  private values: Value[] = [];
  private serials: number[] = [];
  private live: boolean[] = [];
  /** Positions by key; DEAD for a deleted one, until compaction: deleting from a large host map is slow. */
  private index = new Map<Value, number>();
  private count = 0;
  private nextSerial = 0;

  get size(): number {
    return this.count;
  }

  has(key: Value): boolean {
    return (this.index.get(key) ?? DEAD) >= 0;
  }

  get(key: Value): Value {
    const position = this.index.get(key) ?? DEAD;
    return position < 0 ? undefined : this.values[position];
  }

  set(key: Value, value: Value): void {
    const position = this.index.get(key) ?? DEAD;
    if (position >= 0) {
      this.values[position] = value;
      return;
    }
    this.count++;
    const stored = key === 0 ? 0 : key;
    this.index.set(stored, this.keys.length);
    this.keys.push(stored);
    this.values.push(value);
    this.serials.push(this.nextSerial++);
    this.live.push(true);
  }

  delete(key: Value): boolean {
    const position = this.index.get(key) ?? DEAD;
    if (position < 0) return false;
    this.index.set(key, DEAD);
    this.count--;
    this.live[position] = false;
    this.keys[position] = undefined;
    this.values[position] = undefined;
    if (this.keys.length > 16 && this.count < this.keys.length / 2) this.compact();
    return true;
  }

  clear(): void {
    this.keys = [];
    this.values = [];
    this.serials = [];
    this.live = [];
    this.index = new Map();
    this.count = 0;
  }

  /** Where the next entry will be numbered from. */
  get serial(): number {
    return this.nextSerial;
  }

  /** Empties it and counts from 0 again, before a snapshot fills it. */
  reset(): void {
    this.clear();
    this.nextSerial = 0;
  }

  /** Leaves out the serials of entries that were deleted. */
  skip(count: number): void {
    this.nextSerial += count;
  }

  /** The position of the first live entry at or after the cursor, or -1. */
  seek(cursor: number): number {
    let position = this.positionOf(cursor);
    while (position < this.keys.length && !this.live[position]) position++;
    return position < this.keys.length ? position : -1;
  }

  keyAt(position: number): Value {
    return this.keys[position];
  }

  valueAt(position: number): Value {
    return this.values[position];
  }

  /** The cursor that follows the entry at a position. */
  after(position: number): number {
    return this.serials[position]! + 1;
  }

  forEach(visit: (key: Value, value: Value, serial: number) => void): void {
    for (let position = 0; position < this.keys.length; position++) {
      if (this.live[position]) visit(this.keys[position], this.values[position], this.serials[position]!);
    }
  }

  private positionOf(cursor: number): number {
    // Without deletions a serial is its position plus a constant.
    const first = this.serials[0];
    if (first === undefined) return 0;
    const guess = cursor - first;
    if (guess >= 0 && this.serials[guess] === cursor) return guess;
    let low = 0;
    let high = this.serials.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.serials[middle]! < cursor) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compact(): void {
    let to = 0;
    this.index = new Map();
    for (let from = 0; from < this.keys.length; from++) {
      if (!this.live[from]) continue;
      this.keys[to] = this.keys[from];
      this.values[to] = this.values[from];
      this.serials[to] = this.serials[from]!;
      this.live[to] = true;
      this.index.set(this.keys[to], to);
      to++;
    }
    this.keys.length = to;
    this.values.length = to;
    this.serials.length = to;
    this.live.length = to;
  }
}

export class VMap extends VObject {
  readonly kind = Kind.Map;
  readonly entries = new Entries();
}

export class VSet extends VObject {
  readonly kind = Kind.Set;
  readonly entries = new Entries();
}

export type IteratorSource = "array" | "string" | "map" | "set" | "bytes" | "params" | "matches";
export type IteratorMode = "keys" | "values" | "entries";

/** Names of the realm's prototypes. */
export const iteratorPrototypes: Readonly<Record<IteratorSource, string>> = {
  array: "Array Iterator",
  bytes: "Array Iterator",
  string: "String Iterator",
  map: "Map Iterator",
  set: "Set Iterator",
  params: "URLSearchParams Iterator",
  matches: "RegExp String Iterator",
};

/**
 * A built-in iterator. `position` is an index, a string offset, or a collection's cursor; -1 once exhausted
 * (an exhausted iterator stays so, even if its source grows).
 */
export class VIterator extends VObject {
  readonly kind = Kind.Iterator;
  readonly source: IteratorSource;
  readonly mode: IteratorMode;
  target: Value;
  position = 0;

  constructor(proto: VObject | null, source: IteratorSource, mode: IteratorMode, target: Value) {
    super(proto);
    this.source = source;
    this.mode = mode;
    this.target = target;
  }
}
