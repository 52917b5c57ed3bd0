import type { FunctionCode } from "@cairnjs/ir";
import type { HostFunction } from "../machine/host.ts";
import type { Shape } from "./shape.ts";
import { Kind, type Primitive, VObject, type VPlain, type Value } from "./value.ts";

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
