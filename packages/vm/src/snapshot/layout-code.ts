import { VDurable, VSignal } from "../heap/durable.ts";
import { VPromise, VResolver } from "../heap/promise.ts";
import { type CodeUnit, UNINIT, VBound, VCell, VClass, VClosure } from "../heap/function.ts";
import { Kind, VObject, type Value } from "../heap/value.ts";
import { isAsMade } from "../heap/closure-properties.ts";
import { isCallable } from "../machine/callable.ts";
import { Frame } from "../machine/frame.ts";
import { VKeyCursor } from "../machine/key-cursor.ts";
import { instructionStarts } from "./instruction-starts.ts";
import { readProperties, writeProperties } from "./layout-properties.ts";
import type { HeapObject, In, Layout, Mutable, Out } from "./layout.ts";
import { invalid } from "./reader.ts";

/** Layouts of what runs: functions and their variables, durable references, frames. */

function writeUnit(unit: CodeUnit, out: Out): void {
  out.uint(unit.index * 2 + (unit.prelude ? 1 : 0));
}

function readUnit(from: In): CodeUnit {
  const number = from.uint();
  const units = number % 2 === 1 ? from.prelude.units : from.image.units;
  const unit = units[Math.floor(number / 2)];
  if (unit === undefined) invalid("code that the program does not have");
  return unit;
}

const cell: Layout<VCell> = {
  shell() {},
  make: () => new VCell(UNINIT),
  body(object, out) {
    out.value(object.value);
  },
  fill(object, from) {
    const value = from.slot();
    if (value instanceof VCell) invalid("a cell in a cell");
    object.value = value;
  },
};

const closure: Layout<VClosure> = {
  shell(object, out) {
    writeUnit(object.unit, out);
  },
  make(from) {
    const unit = readUnit(from);
    const { realm } = from.image;
    return new VClosure(unit.async ? realm.asyncFunctionPrototype : realm.functionPrototype, unit, []);
  },
  body(object, out) {
    const asMade = !object.materialised || isAsMade(object);
    out.byte((asMade ? 0 : 1) | (object.givenName === null ? 0 : 2));
    if (asMade) out.byte(object.extensible ? 1 : 0);
    else writeProperties(object, out);
    if (object.givenName !== null) out.key(object.givenName);
    for (const captured of object.cells) out.value(captured);
  },
  fill(object, from) {
    const flags = from.byte();
    object.materialised = (flags & 1) !== 0;
    if (object.materialised) {
      readProperties(object, from);
    } else {
      object.clearNamed();
      object.extensible = from.boolean();
    }
    object.givenName = (flags & 2) !== 0 ? from.key() : null;
    const { captures } = object.unit.meta;
    (object as Mutable<VClosure>).cells = captures.map(() => from.object(VCell));
  },
};

const bound: Layout<VBound> = {
  shell() {},
  make: (from) => new VBound(from.image.realm.functionPrototype, from.image.realm.functionPrototype, undefined, []),
  body(object, out) {
    writeProperties(object, out);
    out.value(object.target);
    out.value(object.self);
    out.uint(object.args.length);
    for (const value of object.args) out.value(value);
  },
  fill(object, from) {
    readProperties(object, from);
    const made = object as Mutable<VBound>;
    const target = from.value();
    if (!isCallable(target)) invalid("a bound value that is no function");
    made.target = target;
    made.self = from.value();
    made.args = Array.from({ length: from.count() }, () => from.value());
    made.proto = target.proto;
    for (let at: VObject = target, depth = 0; at instanceof VBound; at = at.target) {
      if (++depth > 10_000) invalid("functions bound in a circle");
    }
  },
};

/** Made by `.with()`: the others are the program's. */
const durable: Layout<VDurable> = {
  shell(object, out) {
    out.uint(["action", "workflow", "sleep", "signal", "compensate"].indexOf(object.durable));
    out.key(object.name);
    out.uint(object.node);
    out.key(object.options ?? "");
  },
  make(from) {
    const kind = (["action", "workflow", "sleep", "signal", "compensate"] as const)[from.uint()];
    if (kind === undefined) invalid("a reference to nothing durable");
    const name = from.key();
    const node = from.uint();
    const options = from.key();
    if (node >= from.image.program.nodes.length) invalid("a node that the program does not have");
    const proto = from.image.realm.prototype("cairn.Durable");
    return new VDurable(proto, kind, name, node, -1, options === "" ? null : options, null);
  },
  body: writeProperties,
  fill: readProperties,
};

const signal: Layout<VSignal> = {
  shell(object, out) {
    out.key(object.name);
    out.uint(object.node);
  },
  make(from) {
    const name = from.key();
    const node = from.uint();
    if (node >= from.image.program.nodes.length) invalid("a node that the program does not have");
    return new VSignal(from.image.realm.prototype("cairn.Signal"), name, node, -1, null);
  },
  body: writeProperties,
  fill: readProperties,
};

const frame: Layout<Frame> = {
  shell(object, out) {
    writeUnit(object.unit, out);
    out.int(object.result);
  },
  make(from) {
    const unit = readUnit(from);
    return new Frame(unit, null, [], undefined, null, from.int());
  },
  body(object, out) {
    out.uint(object.position);
    out.uint(object.depth);
    out.value(object.callee);
    out.uint(object.cells.length);
    for (const captured of object.cells) out.value(captured);
    out.value(object.self);
    out.value(object.newTarget);
    out.value(object.caller as unknown as Value);
    out.value(object.promise);
    out.value(object.settle);
    for (const slot of object.registers) out.value(slot);
  },
  fill(object, from) {
    const made = object as Mutable<Frame>;
    made.position = from.uint();
    if (!instructionStarts(made.unit).has(made.position)) invalid("a position between instructions");
    made.depth = from.uint();
    const callee = from.slot();
    if (callee !== null && !(callee instanceof VObject)) invalid("a frame of no function");
    made.callee = callee;
    made.cells = Array.from({ length: from.count() }, () => from.object(VCell));
    if (made.cells.length !== made.unit.meta.captures.length) invalid("a frame with other captures than its code");
    made.self = from.value();
    made.newTarget = from.optional(VClass);
    made.caller = from.optional(Frame);
    made.promise = from.optional(VPromise);
    const settle = from.value();
    if (settle !== null && !(settle instanceof VPromise) && !(settle instanceof VResolver))
      invalid("a frame that settles nothing");
    made.settle = settle;
    for (let index = 0; index < made.registers.length; index++) made.registers[index] = from.slot();
  },
};

const keyCursor: Layout<VKeyCursor> = {
  shell() {},
  make: () => new VKeyCursor(undefined, []),
  body(object, out) {
    out.value(object.target);
    out.uint(object.next);
    out.uint(object.names.length);
    for (const key of object.names) out.key(key);
  },
  fill(object, from) {
    const made = object as Mutable<VKeyCursor>;
    made.target = from.value();
    made.next = from.uint();
    made.names = Array.from({ length: from.count() }, () => from.key());
  },
};

export const codeLayouts: Readonly<Record<number, Layout<HeapObject> | undefined>> = {
  [Kind.Cell]: cell,
  [Kind.Closure]: closure,
  [Kind.Bound]: bound,
  [Kind.Durable]: durable,
  [Kind.Signal]: signal,
  [Kind.Frame]: frame,
  [Kind.KeyCursor]: keyCursor,
};
