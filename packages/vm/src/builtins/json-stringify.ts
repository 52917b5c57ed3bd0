import { enumerableOwnKeys, getProperty, hasProperty } from "../heap/properties.ts";
import { VDate, VUrl } from "../heap/data.ts";
import { VBuiltin } from "../heap/function.ts";
import { Kind, VArray, VObject, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, throwError } from "../machine/host.ts";
import { toISOString } from "../date/index.ts";
import { throwCircular } from "./json-circular.ts";
import { STRING_LENGTH_MAX } from "./string-conversion.ts";

/**
 * `JSON.stringify` reached something that only the program's own code can tell, or has become long: the prelude must
 * write it, which can be interrupted.
 */
export const NEEDS_PROGRAM = Symbol("needs the program");

/**
 * `JSON.stringify` without calling the program. Objects being written stand on a list, not on the host's stack.
 * Since nothing is called, a text given up halfway has had no effect.
 */
export function stringifyJson(
  context: HostContext,
  value: Value,
  names: readonly string[] | null,
  gap: string | null,
): string | undefined | typeof NEEDS_PROGRAM {
  const writer = new Writer(context, names, gap);
  return writer.write(value);
}

/** The text of what is no container: undefined for what JSON leaves out, null for containers. */
export function scalarText(context: HostContext, value: Value): string | undefined | null {
  switch (typeof value) {
    case "string":
      if (value.length > CHARGE_STEP) context.charge(value.length, value.length);
      return quote(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return throwError(context, "TypeError", "Do not know how to serialize a BigInt");
    case "undefined":
      return undefined;
    default:
      if (value === null) return "null";
      if (value.kind === Kind.Intrinsic) return boxedText(context, value);
      return isCallable(value) ? undefined : null;
  }
}

/** Three prototypes are boxed primitives, the only ones there are, and one is an array. */
function boxedText(context: HostContext, value: VObject): string | undefined | null {
  const { arrayPrototype, numberPrototype, stringPrototype, booleanPrototype } = context.realm;
  if (value === arrayPrototype) return "[]";
  if (value === numberPrototype) return "0";
  if (value === stringPrototype) return '""';
  if (value === booleanPrototype) return "false";
  return isCallable(value) ? undefined : null;
}

/** Fuel and bytes are paid whenever the text has grown by this much. */
const CHARGE_STEP = 4096;
/** What is longer is written by the prelude. */
const TEXT_LENGTH_MAX = 1 << 20;
/** Measured: writing costs about 30 ns a character, with objects of a few members. */
const FUEL_PER_CHARACTER = 3;

/** Up to this depth, looking for a circle by walking the levels is faster than a set of the open objects. */
const WALKED_DEPTH = 24;

interface Level {
  readonly object: VObject;
  /** Null for an array. */
  readonly keys: readonly string[] | null;
  readonly length: number;
  index: number;
  isEmpty: boolean;
}

class Writer {
  private readonly context: HostContext;
  private readonly names: readonly string[] | null;
  private readonly gap: string | null;
  private readonly levels: Level[] = [];
  /** The open objects below the walked depth. */
  private readonly deep = new Set<VObject>();
  /** Keys as they are written: the same few come again and again. */
  private readonly quotedKeys = new Map<string, string>();
  /** Whether what inherits from a prototype inherits a `toJSON`. */
  private readonly inheriting = new Map<VObject, boolean>();
  private text = "";
  private paidLength = 0;

  constructor(context: HostContext, names: readonly string[] | null, gap: string | null) {
    this.context = context;
    this.names = names;
    this.gap = gap;
  }

  write(value: Value): string | undefined | typeof NEEDS_PROGRAM {
    const first = this.resolve(value);
    if (first === NEEDS_PROGRAM) return first;
    const scalar = scalarText(this.context, first);
    if (scalar !== null) return scalar;
    this.enter(first as VObject, "");
    while (this.levels.length > 0) {
      const level = this.levels[this.levels.length - 1]!;
      if (level.index === level.length) this.leave(level);
      else if (!this.writeNext(level)) return NEEDS_PROGRAM;
      if (this.text.length - this.paidLength >= CHARGE_STEP) this.pay();
      if (this.text.length > TEXT_LENGTH_MAX) return NEEDS_PROGRAM;
    }
    this.pay();
    return this.text;
  }

  /** The next member of a container; false when it takes the program's code. */
  private writeNext(level: Level): boolean {
    const { keys } = level;
    const index = level.index++;
    const key = keys === null ? "" : keys[index]!;
    const value = this.resolve(
      keys === null ? elementAt(this.context, level, index) : propertyAt(this.context, level, key),
    );
    if (value === NEEDS_PROGRAM) return false;
    const scalar = scalarText(this.context, value);
    if (keys === null) this.text += this.separator(level);
    else if (scalar === undefined) return true;
    else this.text += this.separator(level) + this.quotedKey(key);
    if (scalar === null) this.enter(value as VObject, keys === null ? String(index) : key);
    else this.text += scalar ?? "null";
    return true;
  }

  /** With its colon. */
  private quotedKey(key: string): string {
    const known = this.quotedKeys.get(key);
    if (known !== undefined) return known;
    const quoted = quote(key) + (this.gap === null ? ":" : ": ");
    this.quotedKeys.set(key, quoted);
    return quoted;
  }

  private separator(level: Level): string {
    const comma = level.isEmpty ? "" : ",";
    level.isEmpty = false;
    return this.gap === null ? comma : comma + this.lineBreak();
  }

  private lineBreak(): string {
    return this.gap === null ? "" : `\n${this.gap.repeat(this.levels.length)}`;
  }

  private enter(object: VObject, key: string): void {
    const { levels } = this;
    if (this.isOpen(object))
      throwCircular(
        this.context,
        levels.map((level) => level.object),
        this.path(),
        object,
        key,
      );
    if (levels.length >= WALKED_DEPTH) this.deep.add(object);
    const isArray = object instanceof VArray;
    const keys = isArray ? null : (this.names ?? enumerableOwnKeys(object));
    const length = isArray ? object.items.length : keys!.length;
    this.context.charge(10 + length, 0);
    this.text += isArray ? "[" : "{";
    levels.push({ object, keys, length, index: 0, isEmpty: true });
  }

  private leave(level: Level): void {
    this.levels.pop();
    if (this.levels.length >= WALKED_DEPTH) this.deep.delete(level.object);
    if (!level.isEmpty) this.text += this.lineBreak();
    this.text += level.keys === null ? "]" : "}";
  }

  private isOpen(object: VObject): boolean {
    const { levels } = this;
    for (let depth = 0; depth < levels.length && depth < WALKED_DEPTH; depth++) {
      if (levels[depth]!.object === object) return true;
    }
    return this.deep.has(object);
  }

  /** The key in each open container that leads to the next. */
  private path(): string[] {
    return this.levels.map(({ keys, index }) => (keys === null ? String(index - 1) : keys[index - 1]!));
  }

  /** Applies `toJSON` where it is a built-in's. */
  private resolve(value: Value): Value | typeof NEEDS_PROGRAM {
    if (!(value instanceof VObject)) return value;
    if (!value.has("toJSON") && (value.proto === null || !this.inherits(value.proto))) return value;
    const toJson = getProperty(this.context, value, "toJSON");
    if (!isCallable(toJson)) return value;
    const path = toJson instanceof VBuiltin ? toJson.path : "";
    if (value instanceof VDate && path === "Date.prototype.toJSON" && !hasOwnConversions(value)) {
      return Number.isNaN(value.time) ? null : toISOString(value.time);
    }
    if (value instanceof VUrl && path === "URL.prototype.toJSON") return value.href;
    return NEEDS_PROGRAM;
  }

  private inherits(proto: VObject): boolean {
    const known = this.inheriting.get(proto);
    if (known !== undefined) return known;
    const does = hasProperty(proto, "toJSON");
    this.inheriting.set(proto, does);
    return does;
  }

  private pay(): void {
    const length = this.text.length - this.paidLength;
    this.context.charge(length * FUEL_PER_CHARACTER, length);
    if (this.text.length > STRING_LENGTH_MAX) throwError(this.context, "RangeError", "Invalid string length");
    this.paidLength = this.text.length;
  }
}

/** Holes are read along the prototypes, which have no elements. */
function elementAt(context: HostContext, { object }: Level, index: number): Value {
  const value = (object as VArray).items[index];
  return value === undefined ? getProperty(context, object, String(index)) : value;
}

function propertyAt(context: HostContext, { object }: Level, key: string): Value {
  if (object.kind === Kind.Object) {
    const value = object.read(key);
    if (value !== undefined && !(value instanceof VObject)) return value;
  }
  return getProperty(context, object, key);
}

/** `Date.prototype.toJSON` asks the date for these; the program may have given it its own. */
function hasOwnConversions(date: VDate): boolean {
  return date.has("toISOString") || date.has("valueOf") || date.has("toString");
}

/** Texts without anything to escape are most; finding that out is faster than the host's function if short. */
const PLAIN_LENGTH_MAX = 40;

function quote(text: string): string {
  if (text.length > PLAIN_LENGTH_MAX) return JSON.stringify(text);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit & 0xf800) === 0xd800) return JSON.stringify(text);
  }
  return `"${text}"`;
}
