import type { DurableKind } from "@cairnjs/ir";
import { Kind, VObject, type Value } from "./value.ts";

/**
 * A reference to an action, a workflow, `sleep`, a signal or `compensate`. Each reference in the source knows its
 * node; to the program all references to one action are the same function, told by `canonical`.
 */
export class VDurable extends VObject {
  readonly kind = Kind.Durable;
  readonly durable: DurableKind;
  readonly name: string;
  readonly node: number;
  /** Options of `.with()`, in the tagged encoding. */
  readonly options: string | null;
  readonly canonical: VDurable;
  /** Its number in the program; -1 for one made by `.with()`. */
  readonly index: number;

  constructor(
    proto: VObject | null,
    durable: DurableKind,
    name: string,
    node: number,
    index: number,
    options: string | null,
    canonical: VDurable | null,
  ) {
    super(proto);
    this.durable = durable;
    this.name = name;
    this.node = node;
    this.index = index;
    this.options = options;
    this.canonical = canonical ?? this;
  }
}

/** What `signal(name)` gives: waits are told apart by the node of the reference that made it. */
export class VSignal extends VObject {
  readonly kind = Kind.Signal;
  readonly name: string;
  readonly node: number;
  readonly canonical: VSignal;
  /** Its number among the program's durables; -1 for one that the body made. */
  readonly index: number;

  constructor(proto: VObject | null, name: string, node: number, index: number, canonical: VSignal | null) {
    super(proto);
    this.name = name;
    this.node = node;
    this.index = index;
    this.canonical = canonical ?? this;
    this.write("name", name);
    this.attributes = new Map([["name", 0]]);
  }
}

/** The key under which a value stands in a Map or Set. */
export function mapKey(value: Value): Value {
  return value instanceof VDurable || value instanceof VSignal ? value.canonical : value;
}

export function strictEquals(left: Value, right: Value): boolean {
  return left === right || (left instanceof VObject && right instanceof VObject && mapKey(left) === mapKey(right));
}

/** `Object.is`. */
export function sameValue(left: Value, right: Value): boolean {
  return Object.is(mapKey(left), mapKey(right));
}

/** As `includes` and Map keys compare: NaN equals itself, the zeros are equal. */
export function sameValueZero(left: Value, right: Value): boolean {
  return strictEquals(left, right) || (left !== left && right !== right);
}
