import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeContext, outcome, toNative, toVm } from "../../test/text/fake-context.ts";
import { VUrl } from "../heap/data.ts";
import { VArray } from "../heap/value.ts";
import { jsonOperations } from "./operations-json.ts";

const context = fakeContext();
const ours = (value: unknown, replacer?: unknown, space?: unknown): unknown =>
  outcome(context, () =>
    jsonOperations["jsonStringify"]!(context, [toVm(context, value), toVm(context, replacer), toVm(context, space)]),
  );
const native = (value: unknown, replacer?: unknown, space?: unknown): unknown =>
  outcome(context, () => JSON.stringify(value, replacer as string[], space as number));

const scalar = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", '\u2028\ud800"\\\n\u0000', "__proto__", "toJSON"),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, 1n, -0, NaN, new Date(0), new Date(NaN), new Date(8.64e15)),
);
const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("a", "b", "1", "0", "__proto__", "constructor"));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
    fc.sparseArray(tie("tree"), { maxLength: 3, maxNumElements: 3 }),
  ),
}));
const replacer = fc.oneof(
  fc.constantFrom(undefined, null, 5, {}),
  fc.array(
    fc.oneof(
      key.filter((name) => name !== "__proto__"),
      fc.integer({ max: 3 }),
      fc.constantFrom(null, true),
    ),
  ),
);
const space = fc.oneof(
  fc.constantFrom(undefined, null, 0, 2, 3.9, 20, -1, NaN, "", "\t", "12345678901", true),
  fc.string(),
);

describe("JSON.stringify without calling the program", () => {
  it("writes what the host writes", () => {
    fc.assert(
      fc.property(tree, replacer, space, (value, allowed, gap) => {
        expect(ours(value, allowed, gap)).toEqual(native(value, allowed, gap));
      }),
      { seed: 71, numRuns: 6_000 },
    );
  });

  it.each([1, 2, 3, 4, 5, 6])("names a circle of %i objects as V8 does", (length) => {
    const nodes: Record<string, unknown>[] = Array.from({ length }, () => ({}));
    nodes.forEach((node, index) => (node[`k${index}`] = nodes[(index + 1) % length]));
    expect(ours({ x: nodes[0] })).toEqual(native({ x: nodes[0] }));
    expect(ours([nodes[0]])).toEqual(native([nodes[0]]));
    const list: unknown[] = [1];
    list.push({ list, more: [list] });
    expect(ours(list)).toEqual(native(list));
  });

  it("gives way to the program's own toJSON, wherever it stands", () => {
    const vm = toVm(context, { a: [1, { toJSON: 5 }] });
    expect(jsonOperations["jsonStringify"]!(context, [vm, undefined, undefined])).toBe('{"a":[1,{"toJSON":5}]}');
    const callable = context.realm.prototype("Map").read("constructor");
    const own = toVm(context, { a: [1, {}] }) as ReturnType<typeof fakeContext>["touched"][number];
    ((own.read("a") as VArray).items[1] as typeof own).write("toJSON", callable);
    expect(jsonOperations["jsonStringify"]!(context, [own, undefined, undefined])).toBe(null);
    expect(jsonOperations["jsonStringify"]!(context, [own, callable, undefined])).toBe(null);
  });

  it("writes URLs and dates with their built-in toJSON", () => {
    const url = new VUrl(context.realm.prototype("URL"), "https://example.test/");
    const list = new VArray(context.realm.arrayPrototype, [url]);
    expect(jsonOperations["jsonStringify"]!(context, [list, undefined, undefined])).toBe('["https://example.test/"]');
  });

  it("writes depth without host stack", () => {
    let deep = new VArray(context.realm.arrayPrototype, []);
    for (let level = 0; level < 100_000; level++) deep = new VArray(context.realm.arrayPrototype, [deep]);
    expect(jsonOperations["jsonStringify"]!(context, [deep, undefined, undefined])).toHaveLength(200_002);
  });

  it("pays while the text grows", () => {
    const paying = fakeContext();
    paying.charge = (_fuel, bytes) => {
      paying.bytes += bytes;
      if (paying.bytes > 100_000) throw new Error("too large");
    };
    // Shared, so that a small graph is a large text.
    let shared: unknown = "x".repeat(100);
    for (let level = 0; level < 40; level++) shared = [shared, shared];
    const value = toVm(paying, shared);
    expect(() => jsonOperations["jsonStringify"]!(paying, [value, undefined, undefined])).toThrow("too large");
  });

  it("keeps what a reviver returns, or removes it", () => {
    const holder = toVm(context, { a: 1, b: 2 });
    jsonOperations["jsonRevive"]!(context, [holder, "a", undefined]);
    jsonOperations["jsonRevive"]!(context, [holder, "b", "new"]);
    expect(toNative(context, holder)).toEqual({ b: "new" });
  });
});
