import * as fc from "fast-check";
import { expect, test } from "vitest";

/** A native stand-in for the machine: the prelude's text runs as ordinary TypeScript and is compared with V8. */
const stand = {
  call: (callee: (...args: unknown[]) => unknown, self: unknown, ...args: unknown[]) =>
    Reflect.apply(callee, self, args),
  isObject: (value: unknown) => (typeof value === "object" && value !== null) || typeof value === "function",
  isCallable: (value: unknown) => typeof value === "function",
  isDate: () => false,
  isBytes: (value: unknown) => value instanceof Uint8Array,
  isIterable: (value: unknown) => typeof (value as Iterable<unknown> | undefined)?.[Symbol.iterator] === "function",
  iterableList: (value: Iterable<unknown>) => [...value],
  lengthOf: (value: { length: unknown }) => (typeof value.length === "number" ? value.length : 0),
  get: (object: Record<string, unknown>, key: string) => object[key],
  unaryPrimitive: (_name: string, value: unknown) => Number(value),
  bytesConstructor() {},
  bytesSpecies() {},
  bytesWalk: (bytes: Uint8Array) => bytes.length,
  requireBytes: (bytes: Uint8Array) => bytes.length,
  bytesOfLength: (length: unknown) => new Uint8Array(length as number),
  bytesOfList: (list: unknown[]) =>
    list.some((item) => typeof item === "object") ? null : Uint8Array.from(list as number[]),
  bytesCopy: (bytes: Uint8Array) => Uint8Array.from(bytes),
  bytesList: (bytes: Uint8Array) => Array.from(bytes),
  bytesSort: (bytes: Uint8Array) => bytes.sort(),
  bytesAssign(bytes: Uint8Array, list: number[]) {
    bytes.set(list);
    return bytes;
  },
};
(globalThis as Record<string, unknown>)["$"] = stand;
const prelude = (await import("../../prelude/bytes.ts")) as unknown as Record<string, (...args: unknown[]) => unknown>;
const SEED = 20_261_115;

test("a sort with comparator compares the same pairs in the same order as V8", () => {
  const rules: ((a: number, b: number) => unknown)[] = [
    (a, b) => a - b,
    (a, b) => b - a,
    (a, b) => (a & 1) - (b & 1),
    () => 0,
    () => NaN,
    () => "-1",
    (a, b) => ((a * 7 + b * 13) % 5) - 2,
    (a) => a > 128,
  ];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(...rules), fc.boolean(), (data, rule, copies) => {
      const traced = (log: [number, number][]) => (a: number, b: number) => {
        log.push([a, b]);
        return rule(a, b) as number;
      };
      const method = copies ? "toSorted" : "sort";
      const theirs: [number, number][] = [];
      const ours: [number, number][] = [];
      const native = Uint8Array.from(data);
      const expected = (Reflect.get(native, method) as typeof native.sort).call(native, traced(theirs));
      const given = Uint8Array.from(data);
      const result = prelude[`TypedArray_prototype_${method}`]!.call(given, traced(ours));
      expect(ours).toEqual(theirs);
      expect(result).toEqual(expected);
      expect(given).toEqual(native);
      expect(result === given).toBe(!copies);
    }),
    { seed: SEED, numRuns: 3_000 },
  );
});

test("callbacks get the same arguments, and may change the bytes under way", () => {
  const walks = [
    "every",
    "some",
    "forEach",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "filter",
    "map",
    "reduce",
    "reduceRight",
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...walks),
      fc.uint8Array({ minLength: 1, maxLength: 9 }),
      fc.nat(4),
      (name, data, stop) => {
        const run = (bytes: Uint8Array, method: (...args: never[]) => unknown): unknown => {
          const log: unknown[] = [];
          const callback = (...args: unknown[]): unknown => {
            log.push(args.slice(0, -1), args.at(-1) === bytes);
            bytes[(log.length * 3) % bytes.length] = log.length;
            return name === "every"
              ? log.length / 2 !== stop
              : name === "map"
                ? log.length * 100.7
                : log.length / 2 === stop;
          };
          const result = (method as (...args: unknown[]) => unknown).call(bytes, callback);
          return { log, result, bytes };
        };
        const native = Uint8Array.from(data);
        const expected = run(native, Reflect.get(native, name) as () => unknown);
        expect(run(Uint8Array.from(data), prelude[`TypedArray_prototype_${name}`]!)).toEqual(expected);
      },
    ),
    { seed: SEED, numRuns: 5_000 },
  );
});

function mapper(item: unknown, index: number): number {
  return Number(item) + index;
}

test("the constructor and from take lengths, iterables, array-likes and objects to be made numbers", () => {
  const seven = { valueOf: () => 7 };
  const sources = [
    3,
    "2",
    undefined,
    null,
    [1, 300, -1, "5", undefined],
    new Set([1, 2]),
    { length: 2, 1: seven },
    [seven, 1],
    {},
  ];
  for (const source of sources) {
    expect(prelude["new_Uint8Array"]!(source)).toEqual(new Uint8Array(source as number));
    if (source === undefined || source === null) continue;
    for (const map of [undefined, mapper]) {
      const expected = Uint8Array.from(source as number[], map as typeof mapper);
      expect(prelude["TypedArray_from"]!.call(Uint8Array, source, map)).toEqual(expected);
    }
  }
});
