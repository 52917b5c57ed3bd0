import { VMap, VSet } from "../heap/collection.ts";
import type { VForeign } from "../heap/foreign.ts";
import { KEY_FUEL, enumerableOwnKeys, getOwn, getProperty, putHidden } from "../heap/properties.ts";
import { VBuffer, VBytes, VDate, VError, type VRegExp } from "../heap/data.ts";
import type { VBuiltin, VClosure } from "../heap/function.ts";
import { Kind, VArray, VObject, VPlain, type Value } from "../heap/value.ts";
import { isCallable } from "../machine/callable.ts";
import { type HostContext, unsupported } from "../machine/host.ts";
import { throwDomException } from "./error.ts";
import type { HostTable } from "./host-table.ts";
import { throwNodeError } from "./node-error.ts";
import { isDomException } from "./printed.ts";
import { createRegExp } from "./regexp.ts";
import { toText } from "./string-conversion.ts";

export const structuredCloneBuiltins: HostTable = {
  structuredClone: {
    call(context, _self, args) {
      if (args.length === 0) {
        throwNodeError(context, "TypeError", "ERR_MISSING_ARGS", "The value argument must be specified");
      }
      checkOptions(context, args[1]);
      return new Cloning(context).run(args[0]);
    },
  },
};

function checkOptions(context: HostContext, options: Value): void {
  if (options === undefined || options === null) return;
  if (!(options instanceof VObject)) {
    const message = "The options argument must be either an object or undefined";
    throwNodeError(context, "TypeError", "ERR_INVALID_ARG_TYPE", message);
  }
  const transfer = getProperty(context, options, "transfer");
  if (transfer === undefined || transfer === null) return;
  if (!(transfer instanceof VArray) || transfer.items.length > 0) unsupported("structuredClone with 'transfer'");
}

/** Copies a graph: sharing and cycles are kept, and no depth of it needs the host's stack. */
class Cloning {
  readonly #context: HostContext;
  readonly #copies = new Map<VObject, VObject>();
  /** Copies that are still empty, with what they are copies of. */
  readonly #open: { from: VObject; to: VObject }[] = [];

  constructor(context: HostContext) {
    this.#context = context;
  }

  run(value: Value): Value {
    const result = this.#copy(value);
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) this.#fill(next.from, next.to);
    return result;
  }

  #copy(value: Value): Value {
    if (!(value instanceof VObject)) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    this.#context.charge(20, 96);
    const made = this.#shell(value);
    this.#copies.set(value, made);
    this.#open.push({ from: value, to: made });
    return made;
  }

  #shell(from: VObject): VObject {
    const { realm } = this.#context;
    switch (from.kind) {
      case Kind.Array:
        return new VArray(realm.arrayPrototype, []);
      case Kind.Map:
        return new VMap(realm.prototype("Map"));
      case Kind.Set:
        return new VSet(realm.prototype("Set"));
      case Kind.Date:
        return new VDate(realm.prototype("Date"), (from as VDate).time);
      case Kind.RegExp:
        return createRegExp(this.#context, (from as VRegExp).source, (from as VRegExp).flags);
      case Kind.Bytes:
        return this.#view(from as VBytes);
      case Kind.Error:
        if (!isDomException(from)) return new VError(realm.prototype(this.#errorName(from)));
        return new VPlain(realm.objectPrototype);
      // Node makes plain objects of its own classes, without what they hold.
      case Kind.Object:
      case Kind.Url:
      case Kind.UrlParams:
      case Kind.Encoder:
      case Kind.Decoder:
        return new VPlain(realm.objectPrototype);
      case Kind.Foreign:
        return (from as VForeign).refuse();
      case Kind.Intrinsic:
        return unsupported("structuredClone of a built-in object");
      default:
        return throwDomException(this.#context, "DataCloneError", `${culprit(from)} could not be cloned.`);
    }
  }

  /** A view of a copy of the whole buffer, which all views of that buffer share. */
  #view(from: VBytes): VBytes {
    const { realm } = this.#context;
    let buffer = this.#copies.get(from.buffer);
    if (!(buffer instanceof VBuffer)) {
      const { data } = from.buffer;
      this.#context.charge(data.length / 64, 100 + data.length);
      buffer = new VBuffer(realm.objectPrototype, data.slice());
      this.#copies.set(from.buffer, buffer);
    }
    const start = from.bytes.byteOffset - from.buffer.data.byteOffset;
    const view = (buffer as VBuffer).data.subarray(start, start + from.bytes.length);
    return new VBytes(realm.prototype("Uint8Array"), buffer as VBuffer, view);
  }

  #fill(from: VObject, to: VObject): void {
    if (from instanceof VArray) this.#fillArray(from, to as VArray);
    else if (from instanceof VMap) this.#fillMap(from, to as VMap);
    else if (from instanceof VSet) this.#fillSet(from, to as VSet);
    else if (to instanceof VError) this.#fillError(from, to);
    else if (to instanceof VPlain) this.#fillProperties(from, to, enumerableOwnKeys(from));
  }

  #fillArray(from: VArray, to: VArray): void {
    const { items } = from;
    this.#context.charge(items.length, items.length * 8);
    to.items.length = items.length;
    // Holes are skipped, and stay holes.
    items.forEach((item, index) => {
      to.items[index] = this.#copy(item);
    });
    if (from.keys().length > 0) {
      const isName = (key: string): boolean => from.has(key);
      this.#fillProperties(from, to, enumerableOwnKeys(from).filter(isName));
    }
  }

  #fillMap(from: VMap, to: VMap): void {
    this.#context.charge(from.entries.size * 8, from.entries.size * 48);
    from.entries.forEach((key, value) => to.entries.set(this.#copy(key), this.#copy(value)));
  }

  #fillSet(from: VSet, to: VSet): void {
    this.#context.charge(from.entries.size * 8, from.entries.size * 40);
    from.entries.forEach((key) => to.entries.set(this.#copy(key), undefined));
  }

  #fillProperties(from: VObject, to: VObject, keys: readonly string[]): void {
    for (const key of keys) {
      this.#context.charge(KEY_FUEL, 16 + key.length);
      to.write(key, this.#copy(from.read(key)));
    }
  }

  /** Of an error its text, stack and cause; other properties are lost. */
  #fillError(from: VObject, to: VError): void {
    const stack = getProperty(this.#context, from, "stack");
    putHidden(to, "stack", typeof stack === "string" ? stack : undefined);
    const message = getOwn(from, "message");
    if (message !== undefined) putHidden(to, "message", this.#text(message.value));
    const cause = getOwn(from, "cause");
    if (cause !== undefined) putHidden(to, "cause", this.#copy(cause.value));
  }

  #errorName(error: VObject): string {
    const name = this.#text(getProperty(this.#context, error, "name"));
    return CLONED_ERRORS.has(name) ? name : "Error";
  }

  #text(value: Value): string {
    return toText(this.#context, value);
  }
}

const CLONED_ERRORS = new Set(["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"]);

/** V8 shows a function's source, which programs have not: its name stands for it. */
function culprit(object: VObject): string {
  if (object.kind === Kind.Promise) return "#<Promise>";
  if (!isCallable(object)) return "#<Object>";
  if (object.kind === Kind.Builtin)
    return `function ${(object as VBuiltin).path.replace(/^.*\./, "")}() { [native code] }`;
  const name = object.kind === Kind.Closure ? (object as VClosure).unit.meta.name : "";
  return name === "" ? "function" : name;
}
