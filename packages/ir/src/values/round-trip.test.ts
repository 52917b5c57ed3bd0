import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeNative, encodeNative, MalformedValue } from "./index.ts";
import { anyGraph, anyString, Box, CODECS, ERROR_CLASSES } from "./testing/graphs.ts";
import { differenceBetween } from "./testing/isomorphic.ts";

const SEED = 20_261_115;
const known = { codecs: CODECS, errorClasses: ERROR_CLASSES };

describe(`round trips, seed ${SEED}`, () => {
  it("brings back every graph: content, order, sharing, cycles", () => {
    const kinds = new Map<string, number>();
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const text = encodeNative(graph, known);
        for (const [tag] of text.matchAll(/"\$[a-z]+(?=":)/g)) kinds.set(tag, (kinds.get(tag) ?? 0) + 1);
        expect(differenceBetween(graph, decodeNative(text, known))).toBeUndefined();
      }),
      { seed: SEED, numRuns: 3000 },
    );
    // The generator would be worthless for a tag it never made.
    for (const tag of TAGS) expect([tag, kinds.get(`"${tag}`) ?? 0]).toSatisfy(([, count]) => Number(count) > 50);
  });

  it("gives equal graphs equal texts", () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const text = encodeNative(graph, known);
        expect(encodeNative(decodeNative(text, known), known)).toBe(text);
        expect(encodeNative(graph, known)).toBe(text);
      }),
      { seed: SEED + 1, numRuns: 1500 },
    );
  });

  it("keeps names of error classes that are not known where it is decoded", () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const text = encodeNative(graph, known);
        const strangers = { codecs: CODECS };
        expect(encodeNative(decodeNative(text, strangers), strangers)).toBe(text);
      }),
      { seed: SEED + 2, numRuns: 1500 },
    );
  });

  it("leaves parts of errors that cannot be stored out without a trace", () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const text = encodeNative(graph, known);
        const objects = objectsIn(graph);
        for (const error of objects) if (error instanceof Error) addFirst(error, [...objects, () => 1]);
        expect(encodeNative(graph, known)).toBe(text);
      }),
      { seed: SEED + 4, numRuns: 1500 },
    );
  });

  it("lets a codec's payload share what is complete before it", () => {
    const shared = [{}];
    const graph = [shared, new Box({ shared, twice: [shared[0], shared] })];
    const text = encodeNative(graph, known);
    expect(differenceBetween(graph, decodeNative(text, known))).toBeUndefined();
    expect(encodeNative(decodeNative(text, known), known)).toBe(text);
  });

  it("keeps every UTF-16 string, in text that is well-formed Unicode", () => {
    fc.assert(
      fc.property(anyString, (string) => {
        const text = encodeNative(string);
        expect(text).toBe(JSON.stringify(string));
        expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
        expect(decodeNative(text)).toBe(string);
        expect(Object.keys(decodeNative(encodeNative({ [string]: 1 })) as object)).toEqual([string]);
      }),
      { seed: SEED + 3, numRuns: 3000 },
    );
  });
});

describe("depth", () => {
  it("takes a list of 100,000 nodes", () => {
    let list: unknown = null;
    for (let i = 0; i < 100_000; i++) list = { value: i, next: list };
    expect(differenceBetween(list, decodeNative(encodeNative(list)))).toBeUndefined();
  });

  it("takes a list of 100,000 nodes that all know their predecessor and the head", () => {
    const head: Record<string, unknown> = {};
    let last = head;
    for (let i = 0; i < 100_000; i++) last = last["next"] = { head, previous: last } as Record<string, unknown>;
    expect(differenceBetween(head, decodeNative(encodeNative(head)))).toBeUndefined();
  });

  it("takes arrays 1,000,000 deep", () => {
    let nested: unknown[] = [];
    for (let i = 1; i < 1_000_000; i++) nested = [nested];
    const text = encodeNative(nested);
    expect(text === "[".repeat(1_000_000) + "]".repeat(1_000_000)).toBe(true);
    let depth = 0;
    for (let at = decodeNative(text) as unknown; at !== undefined; at = (at as unknown[])[0]) depth++;
    expect(depth).toBe(1_000_000);
  });

  it("takes a chain of 50,000 of all other containers", () => {
    const wrap: readonly ((inner: unknown) => unknown)[] = [
      (inner) => new Map([[inner, inner]]),
      (inner) => new Set([inner]),
      (inner) => new Error("", { cause: inner }),
      (inner) => Object.assign([], { inner }),
      (inner) => ({ $escaped: inner }),
    ];
    let chain: unknown = 0;
    for (let i = 0; i < 50_000; i++) chain = wrap[i % wrap.length]!(chain);
    expect(differenceBetween(chain, decodeNative(encodeNative(chain)))).toBeUndefined();
  });

  it("refuses what is deeper or longer than a limit", () => {
    expect(() => decodeNative("[[[]]]", { limits: { depthMax: 2 } })).toThrow(MalformedValue);
    expect(decodeNative("[[[]]]", { limits: { depthMax: 3 } })).toEqual([[[]]]);
    for (const text of ['"ab"', '"é"', '"日"', '"😀"']) {
      const bytes = new TextEncoder().encode(text).length;
      expect(decodeNative(text, { limits: { bytesMax: bytes } })).toBe(JSON.parse(text));
      expect(() => decodeNative(text, { limits: { bytesMax: bytes - 1 } })).toThrow(MalformedValue);
    }
  });
});

function objectsIn(graph: unknown): object[] {
  const objects = new Set<object>();
  const left = [graph];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null || objects.has(value)) continue;
    objects.add(value);
    if (value instanceof Map) left.push(...value.keys(), ...value.values());
    else if (value instanceof Set) left.push(...value);
    else if (value instanceof Error) left.push(value.cause, (value as AggregateError).errors);
    left.push(...Object.values(value));
  }
  return [...objects];
}

/** Before the others, so that what is met first in the new property is met again in them. */
function addFirst(error: Error, value: unknown): void {
  const others = Object.entries(error);
  for (const [key] of others) delete (error as unknown as Record<string, unknown>)[key];
  for (const [key, content] of [["unstorable", value] as const, ...others]) {
    Object.defineProperty(error, key, {
      value: content,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

const TAGS = [
  "$undefined",
  "$number",
  "$bigint",
  "$date",
  "$map",
  "$set",
  "$bytes",
  "$url",
  "$params",
  "$error",
  "$codec",
  "$object",
  "$array",
  "$def",
  "$ref",
];
