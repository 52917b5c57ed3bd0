import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeValue, encodeNative, encodeValue, MalformedValue, NotStorable, unstorable } from "./index.ts";
import type { CodecParts, ErrorParts, Primitive, Unstorable, ValueBuilder, ValueKind, ValueReader } from "./index.ts";
import { anyGraph, CODECS, ERROR_CLASSES } from "./testing/graphs.ts";

// A heap like a virtual machine's, in which nothing is a host object of its kind.

const SEED = 99;

class Cell {
  readonly kind: ValueKind;
  readonly bag = new Map<string, Value>();
  readonly elements = new Map<number, Value>();
  readonly items: Value[] = [];
  length = 0;
  content: unknown = undefined;

  constructor(kind: ValueKind, content?: unknown) {
    this.kind = kind;
    this.content = content;
  }
}

class EngineError extends Error {}

type Value = Primitive | Cell;

interface CellError {
  readonly names: readonly string[];
  readonly message: string | undefined;
  hasCause: boolean;
  hasErrors: boolean;
}

class CellReader implements ValueReader<Value> {
  readonly fuel: { left: number };

  constructor(fuel = Infinity) {
    this.fuel = { left: fuel };
  }

  kindOf(value: Value): ValueKind | Unstorable {
    if (this.fuel.left-- <= 0) throw new EngineError("out of fuel");
    const cell = value as Cell;
    if (cell.content === "closure") return unstorable("function", "f");
    if (cell.kind !== "array") return cell.kind;
    return cell.elements.size === cell.length && cell.bag.size === 0 ? "array" : "sparse";
  }
  keys = (value: Value) => inOrder([...(value as Cell).bag.keys()]);
  get = (value: Value, key: string) => {
    const cell = value as Cell;
    if (cell.kind === "error" && (key === "cause" || key === "errors")) {
      return cell.elements.get(key === "cause" && (cell.content as CellError).hasCause ? 0 : 1) ?? cell.bag.get(key);
    }
    return cell.bag.get(key);
  };
  length = (value: Value) => (value as Cell).length;
  at = (value: Value, index: number) => (value as Cell).elements.get(index);
  indices = (value: Value) => [...(value as Cell).elements.keys()];
  entries = (value: Value) => (value as Cell).items;
  members = (value: Value) => (value as Cell).items;
  time = (value: Value) => (value as Cell).content as number;
  bytes = (value: Value) => (value as Cell).content as Uint8Array;
  href = (value: Value) => (value as Cell).content as string;
  params = (value: Value) => (value as Cell).content as (readonly [string, string])[];
  error = (value: Value): ErrorParts => ({
    ...((value as Cell).content as CellError),
    keys: inOrder([...(value as Cell).bag.keys()]),
  });
  codec = (value: Value) => (value as Cell).content as CodecParts<Value>;
  explain = () => undefined;
}

class CellBuilder implements ValueBuilder<Value> {
  primitive = (value: Primitive) => value;
  object = () => new Cell("object");
  define = (target: Value, key: string, value: Value) => void (target as Cell).bag.set(key, value);
  array = () => new Cell("array");
  append = (array: Value, value: Value) => void (array as Cell).elements.set((array as Cell).length++, value);
  sparse = (length: number) => Object.assign(new Cell("array"), { length });
  setElement = (array: Value, index: number, value: Value) => void (array as Cell).elements.set(index, value);
  map = () => new Cell("map");
  setEntry = (map: Value, key: Value, value: Value) => void (map as Cell).items.push(key, value);
  set = () => new Cell("set");
  addMember = (set: Value, value: Value) => void (set as Cell).items.push(value);
  date = (time: number) => new Cell("date", time);
  bytes = (bytes: Uint8Array) => new Cell("bytes", bytes);
  url = (href: string) => {
    if (!href.includes(":")) throw new RangeError("no scheme");
    if (href.length > 10_000) throw new EngineError("heap full");
    return new Cell("url", href);
  };
  params = (pairs: readonly (readonly [string, string])[]) => new Cell("params", pairs);
  error = (names: readonly string[], message: string | undefined) =>
    new Cell("error", { names, message, hasCause: false, hasErrors: false } satisfies CellError);
  setCause = (error: Value, cause: Value) => {
    ((error as Cell).content as CellError).hasCause = true;
    (error as Cell).elements.set(0, cause);
  };
  setErrors = (error: Value, errors: Value) => {
    ((error as Cell).content as CellError).hasErrors = true;
    (error as Cell).elements.set(1, errors);
  };
  codec = (name: string, payload: Value) => new Cell("codec", { name, payload });
  explain = (thrown: unknown) => (thrown instanceof RangeError ? thrown.message : undefined);
}

/** The order of an object's keys in JavaScript, which a heap must keep as well. */
function inOrder(keys: readonly string[]): string[] {
  return Object.keys(Object.assign(Object.create(null), Object.fromEntries(keys.map((key) => [key, 0]))));
}

describe(`another object model, seed ${SEED}`, () => {
  it("gives the same text as the host's", () => {
    const options = { codecs: CODECS, errorClasses: ERROR_CLASSES };
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const text = encodeNative(graph, options);
        expect(encodeValue(decodeValue(text, new CellBuilder()), new CellReader())).toBe(text);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it("refuses by its own judgement", () => {
    const closure = new Cell("object", "closure");
    const order = new Cell("object");
    order.bag.set("run", closure);
    expect(() => encodeValue<Value>(order, new CellReader(), "order")).toThrow(NotStorable);
    expect(() => encodeValue<Value>(order, new CellReader(), "order")).toThrow("order.run cannot be stored: it is the");
    expect(() => decodeValue('[{"$url":"x"}]', new CellBuilder())).toThrow(MalformedValue);
    expect(() => decodeValue('[{"$url":"x"}]', new CellBuilder())).toThrow("Malformed value at value[0]: no scheme");
  });

  it("lets errors of the engine pass, out of an error's properties too", () => {
    const text = '{"$error":{"names":["Error"],"props":{"a":{}}}}';
    const error = decodeValue(text, new CellBuilder());
    expect(() => encodeValue(error, new CellReader(1))).toThrow(EngineError);
    expect(() => decodeValue(`{"$url":"a:${"x".repeat(10_000)}"}`, new CellBuilder())).toThrow(EngineError);
  });
});
