import { describe, expect, test } from "vitest";

/** A native stand-in for the machine: the prelude's text runs as ordinary TypeScript and is compared with V8's sort. */
const stand = {
  call: (callee: (...args: unknown[]) => unknown, self: unknown, ...args: unknown[]) =>
    Reflect.apply(callee, self, args),
  toObject: (value: unknown) => value,
  isObject: (value: unknown) => (typeof value === "object" && value !== null) || typeof value === "function",
  isCallable: (value: unknown) => typeof value === "function",
  isDate: (value: unknown) => value instanceof Date,
  get: (object: Record<string, unknown>, key: string) => object[key],
  unaryPrimitive: (name: string, value: unknown) => (name === "toNumber" ? Number(value) : String(value)),
  lengthOf: (object: { length: number }) => object.length,
  sortable: (object: unknown[]) => object.filter((item) => item !== undefined),
  undefinedCount(object: unknown[], length: number, countHoles: boolean) {
    let count = 0;
    for (let index = 0; index < length; index++) {
      if (index in object ? object[index] === undefined : countHoles) count++;
    }
    return count;
  },
  sortPrimitives: () => false,
  storeSorted(object: unknown[], list: unknown[], undefinedCount: number, length: number) {
    for (let index = 0; index < length; index++) {
      if (index < list.length + undefinedCount) object[index] = list[index];
      else delete object[index];
    }
  },
  appendUndefined(list: unknown[], count: number) {
    for (let added = 0; added < count; added++) list.push(undefined);
  },
  sliceOf: (list: unknown[], start: number, count: number) => list.slice(start, start + count),
  copyRange(source: unknown[], from: number, target: unknown[], to: number, count: number) {
    const copied = source.slice(from, from + count);
    copied.forEach((item, at) => {
      target[to + at] = item;
    });
  },
  reverseRange(list: unknown[], start: number, end: number) {
    const turned = list.slice(start, end).reverse();
    turned.forEach((item, at) => {
      list[start + at] = item;
    });
  },
};
(globalThis as Record<string, unknown>)["$"] = stand;
const { Array_prototype_sort: sort, Array_prototype_toSorted: toSorted } = await import("../../prelude/sort.ts");

type Comparator = (a: Item, b: Item) => unknown;
interface Item {
  key: number;
  id: number;
}

const SEED = 20_240_611;

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const patterns: Record<string, (length: number, random: () => number) => number[]> = {
  random: (length, random) => Array.from({ length }, () => random()),
  "few distinct": (length, random) => Array.from({ length }, () => Math.floor(random() * 4)),
  ascending: (length) => Array.from({ length }, (_, index) => index),
  descending: (length) => Array.from({ length }, (_, index) => -index),
  "ascending, some swapped": (length, random) => {
    const keys = Array.from({ length }, (_, index) => index);
    for (let swaps = 0; swaps < Math.min(5, length); swaps++)
      keys[Math.floor(random() * length)] = Math.floor(random() * length);
    return keys;
  },
  runs: (length, random) => {
    const keys: number[] = [];
    while (keys.length < length) {
      const run = 1 + Math.floor(random() * 120);
      const step = random() < 0.5 ? 1 : -1;
      const start = Math.floor(random() * 1000);
      for (let at = 0; at < run && keys.length < length; at++) keys.push(start + at * step);
    }
    return keys;
  },
  "two halves": (length) => Array.from({ length }, (_, index) => (index < length / 2 ? index * 2 : index - length / 2)),
  "blocks that gallop": (length, random) => {
    const offset = random();
    return Array.from({ length }, (_, index) => Math.floor(index / 40) + ((index * 7919) % 3) * 100 + offset);
  },
};

const comparators: Record<string, (random: () => number) => Comparator> = {
  consistent: () => (a, b) => a.key - b.key,
  "by sign only": () => (a, b) => (a.key < b.key ? -1 : 0),
  "NaN and odd types": () => (a, b) => (a.key === b.key ? NaN : a.key < b.key ? "-1" : { valueOf: () => 1 }),
  booleans: () => (a, b) => a.key > b.key,
  inconsistent: (random) => () => random() - 0.5,
  "always less": () => () => -1,
};

function callsOf(run: (comparator: Comparator) => void, comparator: Comparator): number[] {
  const calls: number[] = [];
  run((a, b) => {
    calls.push(a.id, b.id);
    return comparator(a, b);
  });
  return calls;
}

/** Ids in the order in which objects were asked for their text, then their order after sorting. */
function logOf(run: (items: object[]) => unknown): string[] {
  const random = generator(SEED);
  const log: string[] = [];
  const items = Array.from({ length: 150 }, (_, id) => {
    const text = String(Math.floor(random() * 50));
    return { id, toString: () => (log.push(`${id}`), text) };
  });
  run(items);
  return [...log, "sorted", ...items.map(({ id }) => String(id))];
}

const descending = (a: unknown, b: unknown): number => (b as number) - (a as number);

describe.runIf(process.version.startsWith("v20."))(`sort against V8's, seed ${SEED}`, () => {
  for (const [pattern, keysOf] of Object.entries(patterns)) {
    for (const [kind, comparatorOf] of Object.entries(comparators)) {
      test(`${pattern}, ${kind}: same pairs in the same order, same result`, () => {
        const random = generator(SEED);
        const lengths = [
          0, 1, 2, 3, 5, 10, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 300, 450, 511, 600, 1500,
        ];
        for (let more = 0; more < 15; more++) lengths.push(Math.floor(random() * 600));
        for (const length of lengths) {
          const items = keysOf(length, random).map((key, id): Item => ({ key, id }));
          const ours = [...items];
          const natives = [...items];
          const seed = Math.floor(random() * 1e9);
          const expected = callsOf((compare) => natives.sort(compare as never), comparatorOf(generator(seed)));
          const actual = callsOf((compare) => Reflect.apply(sort, ours, [compare]), comparatorOf(generator(seed)));
          expect(actual).toEqual(expected);
          expect(ours.map(({ id }) => id)).toEqual(natives.map(({ id }) => id));
        }
      });
    }
  }

  test("holes and undefined go to the end, and stay apart", () => {
    const random = generator(SEED);
    for (let round = 0; round < 200; round++) {
      const items: unknown[] = [];
      const length = Math.floor(random() * 60);
      for (let index = 0; index < length; index++) {
        const what = random();
        if (what < 0.6) items[index] = Math.floor(random() * 20);
        else if (what < 0.8) items[index] = undefined;
      }
      items.length = length;
      const natives = [...items.keys()].reduce<unknown[]>((copy, index) => {
        if (index in items) copy[index] = items[index];
        return copy;
      }, []);
      natives.length = length;
      expect(Reflect.apply(toSorted, items, [descending])).toEqual((natives as number[]).toSorted(descending));
      Reflect.apply(sort, items, [descending]);
      natives.sort(descending as never);
      expect(items).toEqual(natives);
      expect(Object.keys(items)).toEqual(Object.keys(natives));
    }
  });

  test("the default order makes both texts anew for every comparison", () => {
    expect(logOf((items) => Reflect.apply(sort, items, [undefined]))).toEqual(logOf((items) => items.sort()));
  });
});
