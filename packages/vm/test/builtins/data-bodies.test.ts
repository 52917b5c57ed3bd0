import { expect, test } from "vitest";
import { runNatively, runOnMachine } from "./run-body.ts";

/** Each body logs the same natively and on the machine. */
const bodies: Record<string, string> = {
  "Map: order, keys, live iteration": `
    const map = new Map([["a", 1], [NaN, 2], [-0, 3], [{ 0: "k", 1: "v" }, 4]]);
    log(map.size, map.get(NaN), map.get(0), Object.is([...map.keys()][2], 0), map.has("b"), map.set("a", 5) === map);
    const seen = [];
    map.forEach((value, key, whole) => {
      seen.push([value, typeof key, whole === map]);
      if (seen.length === 1) { map.delete(NaN); map.set("late", 6); }
      if (seen.length === 2) map.delete("late");
      if (seen.length === 3) map.set("end", 7);
    });
    log(seen, [...map.values()]);
    const iterator = map.entries();
    log(iterator.next(), map.clear(), iterator.next(), map.size);
    map.set(1, 1); log(iterator.next());
    log([...new Map([[1, 2], [3, 4], [1, 5]])], [...new Map(new Map([["x", "y"]]).entries())], new Map(null).size);
    for (const wrong of [5, {}, [1], ["ab"], [null], [undefined]]) attempt(() => new Map(wrong).size);
    attempt(() => map.forEach(5)); attempt(() => map.forEach()); attempt(() => map.forEach("x"));
    attempt(() => Map.prototype.get.call([], 1)); attempt(() => Map.prototype.forEach.call({}, (x) => x));
    const holder = { seen: [], take(value) { this.seen.push(value); } };
    map.forEach(holder.take, holder); log(holder.seen);
  `,
  "Map deletes many while it is walked": `
    const map = new Map();
    for (let index = 0; index < 200; index++) map.set(index, index);
    const seen = [];
    for (const [key] of map) { seen.push(key); for (let step = 1; step < 8; step++) map.delete(key + step); }
    log(seen, map.size);
  `,
  "Set: order, members, live iteration": `
    const set = new Set(["b", "a", "b", NaN, NaN, -0, 0]);
    log(set.size, [...set], Object.is([...set][3], 0), set.add("c") === set, set.delete("a"), set.delete("a"), set.has(NaN));
    log([...set.entries()], [...set.keys()], Set.prototype.keys === Set.prototype.values);
    const seen = [];
    set.forEach((value, again, whole) => { seen.push([value, again, whole === set]); if (seen.length < 5) { set.delete(value); set.add(value); } });
    log(seen, [...new Set("hello")], [...new Set(new Map([[1, 2]]))], [...new Set(new Uint8Array([1, 1, 2]))]);
    attempt(() => new Set(5).size); attempt(() => Set.prototype.add.call(new Map(), 1)); attempt(() => set.forEach(null));
    log(Object.prototype.toString.call(set), String(new Map()), JSON.stringify(set), JSON.stringify({ m: new Map([[1, 2]]) }));
  `,
  "Uint8Array: making": `
    const shown = (bytes) => [bytes.length, ...bytes];
    for (const source of [3, "2", undefined, null, true, 1.9, [1, 300, -1, "7", , null], new Set([1, 2]), "ab", { length: 2, 1: "9" }, new Map()]) {
      attempt(() => shown(new Uint8Array(source)));
      attempt(() => shown(Uint8Array.from(source)));
      attempt(() => shown(Uint8Array.from(source, (item, index) => index * 2)));
    }
    const order = [];
    const number = (name, value) => ({ valueOf() { order.push(name); return value; } });
    log(shown(new Uint8Array([number("a", 1), 2, number("b", 257)])), shown(Uint8Array.of(number("c", 3), "4")), order);
    log(shown(new Uint8Array({ length: number("length", 2), 0: number("zero", 8) })), order);
    log(shown(Uint8Array.from({ length: 2 }, (item, index) => number("mapped", index + 5))), order);
    attempt(() => new Uint8Array(-1)); attempt(() => new Uint8Array(2n)); attempt(() => Uint8Array.from([1], 5));
    attempt(() => new Uint8Array({ length: 2 ** 53 })); attempt(() => Uint8Array.from.call({}, [1])); attempt(() => Uint8Array.of.call(undefined, 1));
    const bytes = new Uint8Array([5, 6, 7]);
    const copy = new Uint8Array(bytes); copy[0] = 1;
    log(bytes[0], copy[0], bytes[3], bytes[-1], bytes["1"], 2 in bytes, 3 in bytes, Object.keys(bytes), bytes.extra);
    bytes[1] = 511.9; bytes[9] = 1; bytes[-1] = 5; bytes["1.5"] = 5; bytes["-0"] = 5; bytes[NaN] = 5; bytes["01"] = 5; log(Object.keys(bytes)); delete bytes["01"]; attempt(() => { bytes[0] = 1n; }); bytes[2] = "12"; bytes[0] = { valueOf() { return 77; } };
    log(shown(bytes), Array.isArray(bytes), Object.prototype.toString.call(bytes), String(bytes), JSON.stringify(bytes));
    log(Uint8Array.BYTES_PER_ELEMENT, bytes.BYTES_PER_ELEMENT, bytes instanceof Uint8Array, Uint8Array.name, Uint8Array.length);
  `,
  "Uint8Array: methods": `
    const bytes = Uint8Array.from([9, 4, 7, 4, 1, 250]);
    const shown = (value) => (value instanceof Uint8Array ? ["bytes", ...value] : value);
    const tests = [
      ["at", -1], ["at", 9], ["copyWithin", 0, 3], ["copyWithin", 1, -2, -1], ["fill", 300, 1, 3], ["fill", "5", -2], ["includes", 4],
      ["includes", "4"], ["includes", undefined], ["indexOf", 4, 2], ["indexOf", 4, -3], ["lastIndexOf", 4], ["lastIndexOf", 4, undefined],
      ["lastIndexOf", 4, -4], ["join"], ["join", "-"], ["join", null], ["reverse"], ["slice", 1, -1], ["slice", 4, 2], ["subarray", 2], ["subarray", -2, -1],
      ["toReversed"], ["toSorted"], ["sort"], ["with", -1, 256], ["with", 6, 1], ["set", [1, 2], 3], ["set", [1, 2], 5], ["set", [1], -1], ["set", "12", 1],
      ["set", null], ["sort", (a, b) => b - a], ["toSorted", (a, b) => b - a], ["sort", 5], ["toSorted", null], ["toString"], ["every", (x) => x > 0],
      ["some", (x) => x > 9], ["find", (x) => x < 5], ["findIndex", (x) => x < 5], ["findLast", (x) => x < 5], ["findLastIndex", (x) => x < 5],
      ["filter", (x) => x % 2], ["map", (x) => x * 3], ["map", (x) => ({ valueOf() { return x + 1; } })], ["reduce", (a, b) => a + b], ["reduce", (a, b) => a + b, "s"],
      ["reduceRight", (a, b) => a + "," + b], ["map", 5], ["forEach"], ["reduce", null], ["every", {}],
    ];
    for (const [method, ...args] of tests) {
      const copy = new Uint8Array(bytes);
      try { const result = copy[method](...args); log(method, shown(result), result === copy, shown(copy)); } catch (error) { log(method, error); }
    }
    const view = bytes.subarray(1, 4); view[0] = 99; view.sort();
    log(shown(bytes), view.byteOffset, view.byteLength, view.subarray(1).byteOffset, bytes.slice(1).byteOffset);
    log([...bytes.entries()], [...bytes.keys()], [...view.values()], [...view]);
    bytes.set(bytes.subarray(0, 4), 1); log(shown(bytes));
    attempt(() => new Uint8Array().reduce((a, b) => a)); attempt(() => Uint8Array.prototype.map.call([], (x) => x)); for (const name of ["slice", "at", "join", "sort", "toSorted", "with", "entries", "findLast", "set", "fill", "toReversed"]) attempt(() => bytes[name].call({}, 1));
    const pairs = [];
    log(shown(Uint8Array.from([3, 1, 2, 3, 9, 0, 4]).sort((a, b) => { pairs.push(a + "<" + b); return (a % 3) - (b % 3); })), pairs);
    attempt(() => Uint8Array.from([2, 1]).sort(() => { throw new Error("stop"); }));
  `,
  "text and base64": `
    const encoder = new TextEncoder(), decoder = new TextDecoder();
    log([...encoder.encode("aé日😀\\ud800")], decoder.decode(encoder.encode("aé日😀")), encoder.encode().length, encoder.encode(undefined).length, [...encoder.encode({ toString: () => "o" })]);
    log(encoder.encoding, decoder.encoding, decoder.fatal, decoder.ignoreBOM, new TextDecoder("UTF8", { fatal: 1, ignoreBOM: "x" }).fatal);
    const part = new Uint8Array(4); log(encoder.encodeInto("a日b", part), [...part]);
    const stream = new TextDecoder();
    log(stream.decode(new Uint8Array([0xef, 0xbb]), { stream: true }), stream.decode(new Uint8Array([0xbf, 0xe6, 0x97]), { stream: true }), stream.decode(new Uint8Array([0xa5])), stream.decode());
    for (const wrong of [[255], [0xe6, 0x97], [0x41, 0xc0, 0x80]]) attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(wrong)));
    attempt(() => new TextDecoder("foo")); attempt(() => decoder.decode(5)); attempt(() => encoder.encodeInto(5, part)); attempt(() => encoder.encodeInto("a", []));
    log(btoa("hello\\xff"), atob(" aGVs bG8= "), btoa(5), atob(1234), btoa(""), btoa({ toString: () => "x" }));
    for (const wrong of ["*", "a", "YQ=", "é"]) {
      try { log(atob(wrong)); } catch (error) {
        log(error.name, error.message, error.code, error instanceof Error, error instanceof DOMException, Object.keys(error), Object.prototype.toString.call(error), String(error));
      }
    }
    attempt(() => btoa("日")); attempt(() => atob()); attempt(() => btoa());
  `,
  structuredClone: `
    const shared = { n: 1 };
    const source = { list: [1, , shared], again: shared, map: new Map([[shared, "k"], ["s", new Set([1, shared])]]), date: new Date(5), bytes: new Uint8Array([1, 2, 3]).subarray(1), big: 5n, none: undefined, zero: -0 };
    source.self = source;
    const copy = structuredClone(source);
    log(copy !== source, copy.self === copy, copy.again === copy.list[2], copy.again !== shared, copy.map.get(copy.again), copy.map.get("s").has(copy.again), 1 in copy.list, copy.list.length);
    log(copy.date.getTime(), copy.date instanceof Date, [...copy.bytes], copy.bytes.byteOffset, copy.big, "none" in copy, Object.is(copy.zero, -0), Object.keys(copy));
    const bytes = new Uint8Array(6); const views = structuredClone([bytes.subarray(1, 4), bytes]); views[1][2] = 9; log([...views[0]], [...bytes]);
    const named = [1]; named.extra = 2; log(structuredClone(named).extra, structuredClone(Object.freeze([1])).push(2));
    const pattern = /a(b)/gi; pattern.lastIndex = 3; const cloned = structuredClone(pattern); log(cloned.source, cloned.flags, cloned.lastIndex, cloned.test("xAB"));
    const failure = new RangeError("bad", { cause: shared }); failure.code = 5; failure.extra = [];
    const error = structuredClone(failure);
    log(error instanceof RangeError, error.message, error.cause, error.cause !== shared, Object.keys(error), error.stack === failure.stack, Object.getOwnPropertyNames(error));
    const renamed = new Error("x"); renamed.name = "TypeError"; log(structuredClone(renamed) instanceof TypeError, structuredClone(renamed).name);
    const odd = new TypeError("x"); odd.name = "Odd"; log(structuredClone(odd) instanceof TypeError, structuredClone(odd).name);
    log(structuredClone(new AggregateError([1], "many")), Object.getOwnPropertyNames(structuredClone(new Error())));
    log(structuredClone(new URL("http://h")), structuredClone(new URLSearchParams("a=1")), structuredClone(Object.assign(Object.create(null), { a: 1 })));
    for (const wrong of [() => 1, { deep: [Promise.resolve(1)] }, [1].values(), new Map().keys(), Math.max]) {
      try { structuredClone(wrong); log("cloned"); } catch (error) { log(error.name, error.code, error instanceof DOMException, error.message.endsWith(" could not be cloned.")); }
    }
    for (const value of [1, "s", null, undefined, true]) log(structuredClone(value));
    attempt(() => structuredClone()); attempt(() => structuredClone(1, 5)); log(structuredClone(1, { transfer: [] }), structuredClone(1, null));
  `,
  URL: `
    const url = new URL("../x?y=1#z", "https://user:pa%20ss@Example.com:8080/a/b/c");
    const parts = (url) => [url.href, url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash];
    log(parts(url), String(url), JSON.stringify({ url }), url.toJSON(), Object.prototype.toString.call(url), url instanceof URL, Object.keys(url));
    url.protocol = "http"; url.host = "h:81"; url.hostname = "é.com"; url.port = "80"; url.pathname = "/p q"; url.search = "a=b c"; url.hash = "#"; url.username = "@"; url.password = "";
    log(parts(url)); url.href = "mailto:a@b"; log(parts(url)); url.host = "x"; url.pathname = "y"; log(url.href);
    url.href = new URL("http://o/"); url.port = 8081; url.hash = null; log(url.href);
    for (const args of [["x"], ["//", "http://h"], ["x", "y"], [], ["http://[::1"], ["http://h:99999"]]) {
      try { log(new URL(...args).href); } catch (error) { log(error.name, error.message, error.code, error.input, error.base, Object.keys(error)); }
    }
    try { url.href = "zzz"; } catch (error) { log(error.name, error.message, error.code, error.input); }
    log(URL.canParse("a:b"), URL.canParse("b"), URL.canParse("b", "http://h"), new URL(new URL("http://h/q")).href, new URL("blob:https://h:1/x").origin, new URL("file:///a").origin);
    for (const name of ["origin", "searchParams"]) { try { url[name] = "x"; log("set"); } catch (error) { log(error.name); } }
    log(new URL("http://h/?a=1").searchParams.get("a"), url.searchParams === url.searchParams);
  `,
  URLSearchParams: `
    const params = new URLSearchParams("?a=1&b=2&a=3&c&&=x&d=%20+%zz");
    log([...params], params.size, String(params), params.get("a"), params.get("q"), params.getAll("a"), params.has("a", "3"), params.has("a", "4"), params.has("c"));
    params.append("é", "日 &"); params.delete("a", "1"); params.set("b", 5); params.set("new", null); params.sort(); log(params.toString(), [...params.keys()], [...params.values()], [...params.entries()]);
    const seen = [];
    params.forEach((value, name, whole) => { seen.push([name, value, whole === params]); if (name === "b") params.delete("c"); if (name === "d") params.append("tail", 1); });
    log(seen);
    const text = (value) => ({ toString: () => value });
    const sources = [undefined, null, "", "x", 5, { a: 1, b: text("two") }, [["a", "b"], ["c", text("d")]], new Map([["m", 1]]), new Set([["s", 1]]), [new Set(["p", "q"])], params, new URLSearchParams(params), [], {}, { "\\ud800": 1, "\\ufffd": 2 }, ["ab"], [["a"]], [["a", "b", "c"]], [null], [5]];
    for (const source of sources) attempt(() => new URLSearchParams(source).toString());
    const url = new URL("http://h/?a=1&b=2"); const live = url.searchParams;
    live.append("c", "x y"); log(url.href); url.search = "?z=1"; log([...live]); live.delete("z"); log(url.href, url.search); url.href = "http://q/?r=1"; log(live.get("r"));
    live.sort(); live.set("s", "'"); log(url.search); new URLSearchParams(live).append("not", "seen"); log(url.search);
    const iterator = live.keys(); log(iterator.next(), iterator.next(), iterator.next()); live.append("more", 1); log(iterator.next());
    attempt(() => live.append("a")); attempt(() => live.get()); attempt(() => live.forEach(5)); attempt(() => URLSearchParams.prototype.get.call({}, "a"));
    for (const [name, value] of live) log(name, value);
  `,
};

test.each(Object.entries(bodies))("%s", async (_name, body) => {
  expect(runOnMachine(body)).toEqual(await runNatively(body));
});
