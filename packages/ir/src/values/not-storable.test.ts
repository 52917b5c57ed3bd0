import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { encodeNative, encodeValue, nativeReader, NotStorable } from "./index.ts";
import type { Codec } from "./index.ts";

class Stream {}
class Dates extends Date {}
class Named {
  get [Symbol.toStringTag]() {
    return "Map";
  }
}

describe("what is not storable", () => {
  it.each([
    ["order.run", { run: () => 1 }, "function"],
    ["order.items[3].stream", { items: [0, 1, 2, { stream: new Stream() }] }, "class"],
    ['order["a b"]', { "a b": Symbol("s") }, "symbol"],
    ['order["ключ"]', { ключ: Symbol("s") }, "symbol"],
    ["order.x[Symbol(key)]", { x: { [Symbol("key")]: 1 } }, "symbol-key"],
    ["order[1][Symbol(key)]", [0, Object.assign([], { [Symbol("key")]: 1 })], "symbol-key"],
    ["order.p", { p: Promise.resolve() }, "promise"],
    ["order.i", { i: [1].values() }, "iterator"],
    ["order.i", { i: new Map().entries() }, "iterator"],
    ["order.i", { i: (function* () {})() }, "iterator"],
    ["order.i", { i: (async function* () {})() }, "iterator"],
    ["order.s", { s: Readable.from([]) }, "stream"],
    ["order.s", { s: new ReadableStream() }, "stream"],
    ["order.r", { r: /x/ }, "regexp"],
    ["order.w", { w: new WeakMap() }, "weak"],
    ["order.w", { w: new WeakSet() }, "weak"],
    ["order.w", { w: new WeakRef({}) }, "weak"],
    ["order.t", { t: new Float64Array(1) }, "typed-array"],
    ["order.t", { t: new DataView(new ArrayBuffer(1)) }, "typed-array"],
    ["order.t", { t: new ArrayBuffer(1) }, "typed-array"],
    ["order.d", { d: new Dates() }, "class"],
    ["order.d", { d: new (class extends Array {})() }, "class"],
    ["order.d", { d: new (class extends Uint8Array {})() }, "class"],
    ["order.d", { d: new Named() }, "class"],
    ["order.d", { d: Object.create({ inherited: 1 }) }, "class"],
    ["order.d", { d: Object(1) }, "class"],
    ["order.m.extra", { m: Object.assign(new Map(), { extra: 1 }) }, "extra-property"],
    ["order.m", { m: 10n ** 1_000_001n }, "bigint"],
    ['order.get("k")', new Map([["k", Symbol("s")]]), "symbol"],
    ["order.get(5)[0]", new Map([[5, [Symbol("s")]]]), "symbol"],
    ["order.keys()[1]", new Map<unknown, number>([["k", 1]]).set(Symbol("s"), 2), "symbol"],
    ["order.values()[0].x", new Map([[{}, { x: Symbol("s") }]]), "symbol"],
    ["order.get(null).x", new Map([[null, { x: Symbol("s") }]]), "symbol"],
    ["order.values()[1]", new Set<unknown>([1, Symbol("s")]), "symbol"],
    ["order[7]", Object.assign([], { 7: Symbol("s") }), "symbol"],
    ["order.named", Object.assign([], { named: Symbol("s") }), "symbol"],
    ["order.$ref", { $ref: Symbol("s") }, "symbol"],
  ])("%s", (path, value, reason) => {
    const error = refusal(() => encodeNative(value, { root: "order" }));
    expect(error.path).toBe(path);
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(/^order.* cannot be stored: .+\. [A-Z].+\.$/s);
  });

  it("says what it is and what to do", () => {
    expect(refusal(() => encodeNative({ a: [new Stream()] })).message).toBe(
      "value.a[0] cannot be stored: it is an instance of the class Stream without a codec. " +
        "Pass a plain object, or register a codec for the class.",
    );
    expect(refusal(() => encodeNative(new Response("x"), { root: "result" })).message).toBe(
      "result cannot be stored: it is an instance of the class Response without a codec. " +
        "Read it where it was received, and give what was read: `return await response.json()`, or `.text()`.",
    );
    class Client {
      query(): number {
        return 1;
      }
    }
    class Database extends Client {}
    for (const client of [new Client(), new Database()]) {
      expect(refusal(() => encodeNative(client)).message).toMatch(
        /without a codec\. Pass a plain object, .* what an action needs: `needs: \{ db: depends\(getDb\) \}` in its options\.$/,
      );
    }
    const endless: object = new Proxy({}, { getPrototypeOf: () => endless });
    expect(refusal(() => encodeNative(endless)).message).toMatch(/ cannot be stored: .*\.$/);
    expect(refusal(() => encodeNative(() => 1, { root: "" })).name).toBe("NotStorable");
    expect(refusal(() => encodeNative({ a: { b: Stream } }, { root: "" })).path).toBe("a.b");
  });

  it("shortens the path through a long list", () => {
    let list: unknown = Symbol("end");
    for (let i = 0; i < 100_000; i++) list = { next: list };
    const { path } = refusal(() => encodeNative(list));
    expect(path).toBe(`value${".next".repeat(16)}…${".next".repeat(16)}`);
  });

  it("reports what a getter, a proxy or a codec throws", () => {
    const boom = new RangeError("boom");
    const explode = () => {
      throw boom;
    };
    const codec: Codec = {
      name: "stream",
      matches: (v) => v instanceof Stream,
      encode: explode,
      decode: explode,
    };
    const values = [
      { a: Object.defineProperty({}, "b", { get: explode, enumerable: true }) },
      { a: { b: new Proxy({}, { ownKeys: explode }) } },
      { a: { b: new Stream() } },
    ];
    for (const value of values) {
      const error = refusal(() => encodeNative(value, { codecs: [codec] }));
      expect([error.path, error.reason, error.cause]).toEqual(["value.a.b", "threw", boom]);
    }
  });

  it("ends on a getter that never does", () => {
    const endless = (): object => Object.defineProperty({}, "next", { get: endless, enumerable: true });
    const error = refusal(() => encodeValue(endless(), nativeReader(), "value", 100_000));
    expect(error.reason).toBe("too-large");
    // Not a part to be left out: whatever came after it would be too much as well.
    const holder = Object.assign(new Error("x"), { endless: endless() });
    const held = refusal(() => encodeValue<unknown>(holder, nativeReader(), "value", 100_000));
    expect([held.reason, held.path.slice(0, 19)]).toEqual(["too-large", "value.endless.next."]);
  });

  it("refuses a codec whose payload leads back to its value, however", () => {
    class Node {
      parent: unknown;
    }
    const codec: Codec = {
      name: "node",
      matches: (value) => value instanceof Node,
      encode: (value) => ({ parent: (value as Node).parent }),
      decode: () => new Node(),
    };
    const self = new Node();
    self.parent = [self];
    expect(refusal(() => encodeNative(self, { codecs: [codec] })).reason).toBe("codec-cycle");
    const inner = new Node();
    const around = { inner };
    inner.parent = around;
    const error = refusal(() => encodeNative(around, { codecs: [codec] }));
    expect([error.path, error.reason]).toEqual(['value.inner<codec "node">.parent', "codec-cycle"]);
    const shared = {};
    const first = Object.assign(new Node(), { parent: shared });
    const second = Object.assign(new Node(), { parent: first });
    expect(encodeNative([shared, first, second, first], { codecs: [codec] })).toBe(
      '[{"$def":[0,{}]},{"$def":[1,{"$codec":["node",{"parent":{"$ref":0}}]}]},' +
        '{"$codec":["node",{"parent":{"$ref":1}}]},{"$ref":1}]',
    );
  });
});

describe("what is storable though it looks odd", () => {
  it("takes values of other realms", () => {
    const foreign: unknown = runInNewContext(
      `({ o: { a: 1 }, l: [1, , 2], d: new Date(5), m: new Map([[1, new Set([2])]]), b: new Uint8Array([1, 2]),
          e: Object.assign(new TypeError("no"), { code: 7 }) })`,
    );
    expect(encodeNative(foreign)).toBe(
      '{"o":{"a":1},"l":{"$array":{"length":3,"items":[[0,1],[2,2]]}},"d":{"$date":5},' +
        '"m":{"$map":[[1,{"$set":[2]}]]},"b":{"$bytes":"AQI="},' +
        '"e":{"$error":{"names":["TypeError","Error"],"message":"no","props":{"code":7}}}}',
    );
    expect(refusal(() => encodeNative(runInNewContext("new (class Foreign extends Map {})()"))).reason).toBe("class");
  });

  it("takes objects without a prototype, buffers, getters, hidden properties", () => {
    expect(encodeNative(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(encodeNative(Buffer.from("hi"))).toBe('{"$bytes":"aGk="}');
    let reads = 0;
    const counting = Object.defineProperty({}, "x", { enumerable: true, get: () => ++reads });
    expect(encodeNative([counting, counting])).toBe('[{"$def":[0,{"x":1}]},{"$ref":0}]');
    const hidden = Object.defineProperty({ a: 1 }, Symbol("hidden"), { value: 1, enumerable: false });
    expect(encodeNative(hidden)).toBe('{"a":1}');
  });
});

function refusal(run: () => unknown): NotStorable {
  try {
    run();
  } catch (error) {
    if (error instanceof NotStorable) return error;
    throw error;
  }
  throw new Error("it was stored");
}
