import type { FunctionCode } from "@cairnjs/ir";
import type { HostFunction } from "../machine/host.ts";
import { EMPTY_SHAPE, type Shape } from "./shape.ts";

/**
 * The VM's values. Primitives are the host's own; every object is one of the classes in this folder, and no path
 * leads from any of them to a host object that a program could reach.
 *
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

/** Elements are a host array; its holes are the array's holes.  */
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

/** A variable that closures share. `UNINIT` until it is initialised. */
export class VCell {
  readonly kind = Kind.Cell;
  value: Value | Uninit;
  snapshotId = 0;
  touched = true;
  /** Which encoding met the object last, and the number it gave it. */
  metBy = 0;
  metAs = 0;

  constructor(value: Value | Uninit) {
    this.value = value;
  }
}

export interface Uninit {
  readonly uninit: true;
}

/** In registers and cells: a binding in its temporal dead zone. Never seen by programs. */
export const UNINIT: Uninit = Object.freeze({ uninit: true });

/**
 * Code and where it comes from: functions of the program and of the prelude are numbered apart. What every call
 * reads stands here as fields of one class, so that the interpreter meets one shape.
 */
export class CodeUnit {
  readonly index: number;
  readonly prelude: boolean;
  readonly code: Int32Array;
  readonly constants: readonly Primitive[];
  readonly parameters: number;
  readonly rest: boolean;
  readonly async: boolean;
  /** The registers of a new frame: a copy of this is three times faster than a filled array. */
  readonly blank: readonly undefined[];
  readonly meta: FunctionCode;
  /** What a frame of it takes; given back when a frame that is not async returns. */
  readonly frameBytes: number;
  /**
   * Inline caches, by the position of the instruction: the shape of the object it met last, where the value stood,
   * and for one that adds a property the shape after it. They only make things faster, so machines may share them.
   */
  readonly cachedShapes: (Shape | null)[];
  readonly cachedNext: (Shape | null)[];
  readonly cachedSlots: Int32Array;

  constructor(index: number, prelude: boolean, meta: FunctionCode, constants: readonly Primitive[]) {
    this.index = index;
    this.prelude = prelude;
    this.code = Int32Array.from(meta.code);
    this.constants = constants;
    this.parameters = meta.parameters;
    this.rest = meta.rest;
    this.async = meta.async;
    this.blank = Array.from({ length: meta.registers }, () => undefined);
    this.meta = meta;
    this.frameBytes = 120 + meta.registers * 8;
    this.cachedShapes = Array.from({ length: meta.code.length }, () => null);
    this.cachedNext = Array.from({ length: meta.code.length }, () => null);
    this.cachedSlots = new Int32Array(meta.code.length);
  }
}

export class VClosure extends VObject {
  readonly kind = Kind.Closure;
  readonly unit: CodeUnit;
  readonly cells: VCell[];
  /** Own `name` given at run time (computed keys), else the code's. */
  givenName: string | null = null;
  /** `name` and `length` have been moved into the bag, since something other than a plain read asked. */
  materialised = false;

  constructor(proto: VObject | null, unit: CodeUnit, cells: VCell[]) {
    super(proto);
    this.unit = unit;
    this.cells = cells;
  }
}

export class VBound extends VObject {
  readonly kind = Kind.Bound;
  readonly target: VObject;
  readonly self: Value;
  readonly args: readonly Value[];

  constructor(proto: VObject | null, target: VObject, self: Value, args: readonly Value[]) {
    super(proto);
    this.target = target;
    this.self = self;
    this.args = args;
  }
}

/** A built-in function or constructor; one object per path, shared by all machines and never written. */
export class VBuiltin extends VObject {
  readonly kind = Kind.Builtin;
  readonly path: string;
  readonly implementation: Implementation;

  constructor(proto: VObject | null, path: string, implementation: Implementation) {
    super(proto);
    this.path = path;
    this.implementation = implementation;
  }
}

/** How the machine runs a built-in when it is called, and when it is constructed with `new`. */
export interface Implementation {
  /** A host function, unless the built-in calls back into the program. */
  readonly call: HostFunction | null;
  readonly construct: HostFunction | null;
  /** A function of the prelude: pushed as a frame. */
  readonly prelude: CodeUnit | null;
  readonly constructPrelude: CodeUnit | null;
  /**
   * Per parameter (the first is the receiver; the last stands for all further ones): `s` and `n` tell the hint
   * with which an object is made primitive before the host function runs, `-` leaves it as it is.
   */
  readonly coerce: string;
}

/** A module-level class extending an error class. */
export class VClass extends VObject {
  readonly kind = Kind.Class;
  readonly index: number;
  readonly name: string;
  readonly parent: VClass | VBuiltin;
  /** What instances have as their prototype. */
  readonly prototype: VPlain;
  readonly construct: CodeUnit;

  constructor(
    proto: VObject,
    index: number,
    name: string,
    parent: VClass | VBuiltin,
    prototype: VPlain,
    construct: CodeUnit,
  ) {
    super(proto);
    this.index = index;
    this.name = name;
    this.parent = parent;
    this.prototype = prototype;
    this.construct = construct;
  }
}

/** Own properties `message`, `stack`, `cause`, `errors` are in the bag, hidden. */
export class VError extends VObject {
  readonly kind = Kind.Error;
  /** Where it was made, innermost first: pairs of function index and position, program functions only. */
  trace: readonly number[] = [];
}

export class VDate extends VObject {
  readonly kind = Kind.Date;
  time: number;

  constructor(proto: VObject | null, time: number) {
    super(proto);
    this.time = time;
  }
}

export class VBytes extends VObject {
  readonly kind = Kind.Bytes;
  readonly buffer: VBuffer;
  /** A view of the buffer's bytes; views of one buffer share memory as in JavaScript. */
  bytes: Uint8Array;

  constructor(proto: VObject | null, buffer: VBuffer, bytes: Uint8Array) {
    super(proto);
    this.buffer = buffer;
    this.bytes = bytes;
  }
}

/** The `ArrayBuffer` behind byte arrays. */
export class VBuffer extends VObject {
  readonly kind = Kind.Buffer;
  readonly data: Uint8Array;

  constructor(proto: VObject | null, data: Uint8Array) {
    super(proto);
    this.data = data;
  }
}

/** URL and URLSearchParams keep their state as text and pairs; the two know each other. */
export class VUrl extends VObject {
  readonly kind = Kind.Url;
  href: string;
  params: VUrlParams | null = null;

  constructor(proto: VObject | null, href: string) {
    super(proto);
    this.href = href;
  }
}

export class VUrlParams extends VObject {
  readonly kind = Kind.UrlParams;
  pairs: [string, string][];
  url: VUrl | null;

  constructor(proto: VObject | null, pairs: [string, string][], url: VUrl | null) {
    super(proto);
    this.pairs = pairs;
    this.url = url;
  }
}

export class VRegExp extends VObject {
  readonly kind = Kind.RegExp;
  readonly source: string;
  readonly flags: string;

  constructor(proto: VObject | null, source: string, flags: string) {
    super(proto);
    this.source = source;
    this.flags = flags;
  }
}

export class VEncoder extends VObject {
  readonly kind = Kind.Encoder;
}

export class VDecoder extends VObject {
  readonly kind = Kind.Decoder;
  readonly fatal: boolean;
  readonly ignoreBom: boolean;
  /** Bytes of an unfinished sequence (`stream: true`). */
  pending: number[] = [];
  bomSeen = false;

  constructor(proto: VObject | null, fatal: boolean, ignoreBom: boolean) {
    super(proto);
    this.fatal = fatal;
    this.ignoreBom = ignoreBom;
  }
}

/** On intrinsic objects only: a property that reads, and perhaps writes, through a built-in. */
export class VGetter extends VObject {
  readonly kind = Kind.Getter;
  readonly path: string;
  readonly get: HostFunction;
  readonly set: HostFunction | null;

  constructor(path: string, get: HostFunction, set: HostFunction | null) {
    super(null);
    this.path = path;
    this.get = get;
    this.set = set;
  }
}
