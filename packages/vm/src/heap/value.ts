import { EMPTY_SHAPE, type Shape } from "./shape.ts";

/**
 * The VM's values. Primitives are the host's own; every object is one of the classes in this folder, and no path
 * leads from any of them to a host object that a program could reach. Here are what all objects share, plain objects
 * and arrays; `function.ts` has functions and their variables, `data.ts` the other data of the language.
 */
export type Primitive = undefined | null | boolean | number | string | bigint;
export type Value = Primitive | VObject;

/** A host object without prototype: its key order is JavaScript's, and `__proto__` is a key like any other. */
export interface Bag {
  [key: string]: Value;
}

interface BagConstructor {
  new (): Bag;
}

/**
 * A constructor whose prototype is an empty null-prototype object: V8 keeps such bags in fast mode, while
 * `Object.create(null)` starts in dictionary mode (three times slower to fill and read).
 */
export const Bag = function () {} as unknown as BagConstructor;
(Bag as unknown as { prototype: object }).prototype = Object.freeze(Object.create(null) as object);

const NO_BAG: Bag = Object.freeze(new Bag());
const NO_SLOTS: Value[] = [];

export const WRITABLE = 1;
export const ENUMERABLE = 2;
export const CONFIGURABLE = 4;
export const PLAIN = WRITABLE | ENUMERABLE | CONFIGURABLE;
export const HIDDEN = WRITABLE | CONFIGURABLE;

/** What an object is. The numbers are part of the snapshot format. */
export const Kind = {
  Object: 0,
  Array: 1,
  Closure: 2,
  Builtin: 3,
  Bound: 4,
  Durable: 5,
  Class: 6,
  Error: 7,
  Promise: 8,
  Resolver: 9,
  Map: 10,
  Set: 11,
  Date: 12,
  RegExp: 13,
  Bytes: 14,
  Url: 15,
  UrlParams: 16,
  Iterator: 17,
  Encoder: 18,
  Decoder: 19,
  Signal: 20,
  Buffer: 21,
  /** Heap objects that no program ever sees as a value. */
  Cell: 22,
  Match: 23,
  KeyCursor: 24,
  Getter: 25,
  Combinator: 26,
  Frame: 27,
  Work: 28,
  /** Prototypes and namespaces of the realm. */
  Intrinsic: 29,
  Foreign: 30,
} as const;

/**
 * Own named properties are values in `slots`, under names that the shape knows; or, when the shape is null, a bag.
 * The methods below are the only way to them but for the interpreter's caches.
 */
export abstract class VObject {
  abstract readonly kind: number;
  /** Fixed at creation: a program can read it but never change it. */
  proto: VObject | null;
  shape: Shape | null = EMPTY_SHAPE;
  slots: Value[] = NO_SLOTS;
  private bag: Bag = NO_BAG;
  /** Attributes of properties that are not plain (writable, enumerable, configurable). */
  attributes: Map<string, number> | null = null;
  extensible = true;
  /** A captured constant, or something reachable from one: every write is refused. */
  captured = false;
  /**
   * For delta snapshots: the object's number in the base it was decoded from or last encoded into, 0 for a
   * new one. `touched` is set by the first write after that.
   */
  snapshotId = 0;
  touched = true;
  /** Which encoding met the object last, and the number it gave it. */
  metBy = 0;
  metAs = 0;

  constructor(proto: VObject | null) {
    this.proto = proto;
  }

  /** The value of an own named property, undefined when there is none. */
  read(key: string): Value {
    if (this.shape === null) return this.bag[key];
    const position = this.shape.find(key);
    return position < 0 ? undefined : this.slots[position];
  }

  has(key: string): boolean {
    return this.shape === null ? key in this.bag : this.shape.find(key) >= 0;
  }

  /** Sets or adds an own named property; what the language allows is the caller's matter. */
  write(key: string, value: Value): void {
    const { shape } = this;
    if (shape !== null) {
      const position = shape.find(key);
      if (position >= 0) {
        this.slots[position] = value;
        return;
      }
      const next = shape.with(key);
      if (next !== null) {
        this.append(next, value);
        return;
      }
      this.toBag();
    }
    this.bag[key] = value;
  }

  /** Adds the property that leads to `next`. */
  append(next: Shape, value: Value): void {
    if (this.slots === NO_SLOTS) this.slots = [value];
    else this.slots.push(value);
    this.shape = next;
  }

  remove(key: string): void {
    if (!this.has(key)) return;
    if (this.shape !== null) this.toBag();
    delete this.bag[key];
  }

  /** Names in JavaScript's order: those that are array indices first, then as they were added. */
  keys(): readonly string[] {
    return this.shape === null ? Object.keys(this.bag) : this.shape.keys;
  }

  /** Takes over all properties at once. */
  adopt(shape: Shape, slots: Value[]): void {
    this.shape = shape;
    this.slots = slots;
  }

  /** The same properties as another object, of which it has none yet. */
  adoptAll(from: VObject): void {
    this.shape = from.shape;
    if (from.shape !== null) this.slots = from.slots.slice();
    else this.bag = Object.assign(new Bag(), from.bag);
  }

  /** Drops all named properties. */
  clearNamed(): void {
    this.shape = EMPTY_SHAPE;
    this.slots = NO_SLOTS;
    this.bag = NO_BAG;
    this.attributes = null;
  }

  private toBag(): void {
    const bag = new Bag();
    this.shape!.keys.forEach((key, position) => (bag[key] = this.slots[position]));
    this.shape = null;
    this.slots = NO_SLOTS;
    this.bag = bag;
  }
}

export class VPlain extends VObject {
  readonly kind = Kind.Object;
}

/** A prototype or namespace of the realm: shared by all machines, never written by a program. */
export class VIntrinsic extends VObject {
  readonly kind = Kind.Intrinsic;
  readonly path: string;

  constructor(proto: VObject | null, path: string) {
    super(proto);
    this.path = path;
    this.captured = true;
  }
}

/** Elements are a host array; its holes are the array's holes. */
export class VArray extends VObject {
  readonly kind = Kind.Array;
  items: Value[];
  /** Elements may not be written, added or removed (`Object.freeze`); `sealed`: not added or removed. */
  frozen = false;
  sealed = false;
  /** `length` is not writable (`Object.defineProperty`). */
  lengthFixed = false;

  constructor(proto: VObject | null, items: Value[]) {
    super(proto);
    this.items = items;
  }
}
