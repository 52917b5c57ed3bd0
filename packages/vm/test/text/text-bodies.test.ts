import { expect, test } from "vitest";
import { runNatively, runOnMachine } from "../builtins/run-body.ts";

/** An object that tells when it is converted; `order` is what has been asked so far. */
const SPY = `
  const order = [];
  const spy = (name, value) => ({
    toString() { order.push(name + ".toString"); return value; },
    valueOf() { order.push(name + ".valueOf"); return value; },
  });
  const asked = () => { const text = order.join(" "); order.length = 0; return text; };
`;

/** Each body logs the same natively and on the machine. */
const bodies: Record<string, string> = {
  "methods of strings convert receiver and arguments in order": `${SPY}
    const S = String.prototype;
    const of = (method, ...args) => { attempt(() => S[method].call(...args)); log(method, asked()); };
    of("includes", spy("self", "abc"), spy("search", "b"), spy("position", 1));
    of("startsWith", spy("self", "abc"), spy("search", "b"), spy("position", 1));
    of("endsWith", spy("self", "abc"), spy("search", "b"), spy("position", 2));
    of("endsWith", spy("self", "abc"), "c");
    of("split", spy("self", "a,b,c"), spy("separator", ","), spy("limit", 2));
    of("replace", spy("self", "abc"), spy("pattern", "b"), spy("replacement", "[$&]"));
    of("replaceAll", spy("self", "abab"), spy("pattern", "b"), spy("replacement", "[$\`]"));
    of("slice", spy("self", "abc"), spy("start", 1), spy("end", 2));
    of("padEnd", spy("self", "abc"), spy("length", 6), spy("fill", "xy"));
    of("concat", spy("self", "abc"), spy("one", 1), spy("two", 2));
    of("indexOf", spy("self", "abc"), spy("search", "c"), spy("position", 1));
    of("match", spy("self", "abc"), spy("pattern", "b"));
    of("search", spy("self", "abc"), spy("pattern", "c"));
    of("matchAll", spy("self", "abc"), spy("pattern", "[ac]"));
    of("localeCompare" in S ? "at" : "at", spy("self", "abc"), spy("index", -1));
    for (const method of ["includes", "match", "matchAll", "replace", "replaceAll", "search", "split", "at", "trim", "trimEnd", "normalize", "toLowerCase"]) {
      of(method, null, "x"); of(method, undefined);
    }
    for (const method of ["includes", "startsWith", "endsWith"]) of(method, spy("self", "a"), /a/, spy("position", 0));
    for (const method of ["matchAll", "replaceAll"]) of(method, spy("self", "a"), /a/, "b");
    attempt(() => "abc".replace({ toString() { throw new RangeError("mine"); } }, "x"));
    log("abc".match(), "abc".match(undefined), "abc".search(), "abc".split(), "undefined".match(undefined));
  `,
  "String, String.raw and friends": `${SPY}
    log(String(spy("value", "text")), asked(), String(), String(undefined), String(null), String([1, [2, 3]]), String({}), String(5n));
    log(String.raw({ raw: ["a", "b", "c"] }, 1, 2, 3), String.raw({ raw: "xyz" }, 0, 1), String.raw({ raw: { length: 2.5, 0: "p", 1: "q" } }, "-"));
    attempt(() => String.raw()); attempt(() => String.raw({})); log(String.raw({ raw: [] }, 1));
    log(String.fromCharCode(spy("a", 65), "66"), asked(), String.fromCodePoint(spy("a", 128512)), asked());
    log("x".anchor('"q"'), "x".bold(), "x".link("u"), "x".fontcolor("red"), "x".sub());
    log("\\u00e9\\u03a3".normalize("NFD").length, "ΑΣ".toLowerCase(), "ß".toUpperCase(), " x ".trimLeft() + "|", String.prototype.trimLeft === String.prototype.trimStart);
    log("abc".at(-1), "abc".substr(-2, 1), "a\\ud800b".toWellFormed(), "a\\ud800".isWellFormed(), [..."a\\u{1f600}b"]);
  `,
  "replacers of texts": `${SPY}
    log("abcabc".replace("b", (...args) => { log(args); return "$&"; }), "abcabc".replaceAll("b", (...args) => { log(args); return "[" + args[1] + "]"; }));
    log("aaa".replaceAll("", (m, at) => at), "".replaceAll("", () => "x"), "abc".replace("", () => "x"), "abc".replace("z", () => "x"));
    log("abc".replace("b", () => spy("result", "r")), asked(), "abc".replace("b", () => undefined), "abc".replace("b", () => null));
    attempt(() => "abc".replaceAll("b", () => { throw new TypeError("from replacer"); }));
    log("a$b".replace("$", "$$$$"), "abc".replace("b", "$1$0$'$\`$<x>"));
  `,
  "regular expressions with replacers": `${SPY}
    log("john smith".replace(/(\\w+) (\\w+)/, (...args) => { log(args); return args[2] + args[1]; }));
    log("2024-05".replace(/(?<y>\\d+)-(?<m>\\d+)/u, (...args) => { const groups = args.at(-1); log(Object.getPrototypeOf(groups), groups.y, Object.keys(groups)); return groups.m; }));
    log("2024-05".replace(/(?<y>\\d+)-(?<m>\\d+)/, "$<m>/$<y>/$<z>/$1"), "abc".replace(/(b)(x)?/g, "[$1$2$3]"));
    const sticky = /a/y; sticky.lastIndex = 1; log("bab".replace(sticky, "x"), sticky.lastIndex, "bab".replace(sticky, "x"), sticky.lastIndex);
    const global = /a/g; global.lastIndex = 3;
    log("banana".replace(global, (m, at) => { const seen = global.lastIndex; global.lastIndex = 7; return seen + ":" + at; }), global.lastIndex);
    log("aab".replace(/a*?/g, "-"), "\\u{1f600}x".replace(/(?:)/gu, "-"), "\\u{1f600}x".replace(/(?:)/g, "-").length);
    log("abc".replace(/b/, () => spy("result", "r")), asked(), "abc".replace(/b/, spy("replacement", "$&$&")), asked());
    attempt(() => "abc".replace(/b/g, () => { throw new RangeError("from replacer"); }));
  `,
  "exec, test, match, matchAll, search, split": `
    const show2 = (m) => m === null ? null : [[...m], m.index, m.input, m.groups, m.indices && [...m.indices], m.indices && m.indices.groups];
    const g = /a(b)?/g;
    for (let i = 0; i < 5; i++) log(show2(g.exec("xabaab")), g.lastIndex);
    log(g.test("ab"), g.lastIndex, g.test("ab"), g.lastIndex, /x/.test("abc"), /undefined/.test(), /null/.exec(null).index);
    log(show2(/(?<a>.)(?<b>.)?/d.exec("x")), show2("xyz".match(/y/)), "banana".match(/an/g), "banana".match(/q/g), "banana".match(/q/));
    const it = "a1b2".matchAll(/([a-z])(\\d)/g);
    log(Object.prototype.toString.call(it), show2(it.next().value), [...it].map(show2), it.next());
    for (const m of "aXbX".matchAll(/X/g)) log(m.index);
    const from = /a/g; from.lastIndex = 2; log([..."aaaa".matchAll(from)].map((m) => m.index), from.lastIndex);
    log("abc".search(/c/g), "abc".search(/z/), "a1b2c3".split(/\\d/), "a1b2c3".split(/(\\d)/, 4), "".split(/x/), "".split(/(?:)/), "abc".split(/(?:)/), "abc".split(/b/, 0));
    const s = /a/g; s.lastIndex = 5; log("banana".search(s), s.lastIndex, "banana".split(s), s.lastIndex);
    log("\\u{1f600}a".split(/(?:)/u), "\\u{1f600}a".split(/(?:)/).length, "A<B>b</B>".split(/<(\\/)?([^<>]+)>/));
    const u = /./gu; u.lastIndex = 1; log(show2(u.exec("\\u{1f600}")), u.lastIndex);
  `,
  "lastIndex is an own property like no other": `${SPY}
    const r = /a/g;
    log(Object.getOwnPropertyNames(r), Object.keys(r), Object.getOwnPropertyDescriptor(r, "lastIndex"), "lastIndex" in r);
    r.lastIndex = spy("last", 1); log(r.test("aa"), asked(), r.lastIndex);
    const plain = /a/; plain.lastIndex = spy("last", 1); log(plain.test("a"), asked(), typeof plain.lastIndex);
    plain.lastIndex = "x"; log(plain.exec("ba").index, plain.lastIndex);
    attempt(() => { delete r.lastIndex; });
    const frozen = Object.freeze(/a/g); attempt(() => frozen.test("a")); attempt(() => "a".replace(frozen, "b")); attempt(() => "a".search(frozen)); attempt(() => "aXa".split(frozen));
    const calm = Object.freeze(/a/); log(calm.test("a"), "aa".replace(calm, "b"), "ba".search(calm));
    for (const value of [-1, 1.9, NaN, "1", null, undefined, true, Infinity]) { const y = /a/y; y.lastIndex = value; log(y.test("aaa"), y.lastIndex); }
  `,
  "the constructor of regular expressions": `${SPY}
    log(String(new RegExp("a/b", "gi")), String(RegExp("")), new RegExp("\\n").source, new RegExp(/x/g).flags, new RegExp(/x/g, "i").flags, String(new RegExp()));
    const r = /x/g; log(RegExp(r) === r, new RegExp(r) === r, RegExp(r, "g") === r, RegExp(undefined).source, String(RegExp(null)));
    log(String(new RegExp(spy("pattern", "p"), spy("flags", "m"))), asked());
    for (const [p, f] of [["(", ""], ["a", "gg"], ["a", "x"], ["[b-a]", ""], ["*", ""], ["(?<n>a)(?<n>b)", ""], ["\\\\", ""], ["\\\\u{110000}", "u"], ["{1}", "u"], ["a", "uv"]]) attempt(() => new RegExp(p, f));
    log(r.source, r.flags, r.global, r.ignoreCase, r.multiline, r.dotAll, r.unicode, r.sticky, r.hasIndices, r.unicodeSets, /a/dgimsuy.flags);
    log(RegExp.prototype.source, RegExp.prototype.flags, RegExp.prototype.global, RegExp.prototype.toString(), r.toString());
    log(RegExp.prototype.toString.call({ source: "s", flags: "f" }), r instanceof RegExp, typeof r, Object.prototype.toString.call(r));
    attempt(() => RegExp.prototype.exec.call({}, "a")); attempt(() => RegExp.prototype.test.call({}, "a")); attempt(() => RegExp.prototype.test.call(1, "a")); attempt(() => RegExp.prototype.toString.call(1));
    try { r.global = true; } catch (error) { log(error.name, r.global); }
  `,
  "JSON.parse with a reviver": `
    const calls = [];
    const note = ({ f(key, value) { calls.push(key + "=" + JSON.stringify(value) + " in " + (Array.isArray(this) ? "array" : Object.keys(this).join())); return value; } }).f;
    log(JSON.parse('{"a":[1,{"b":2}],"1":3,"c":{}, "d":[]}', note), calls);
    log(JSON.parse('{"a":1,"b":2,"c":[1,2,3]}', (k, v) => k === "a" || v === 2 ? undefined : v), JSON.parse("5", (k, v) => [k, v]), JSON.parse("[[[]]]", (k, v) => v));
    log(JSON.parse('{"a":1,"b":2}', ({ f(k, v) { if (k === "a") { this.b = { x: [7] }; delete this.c; } return Array.isArray(v) ? v.length : v; } }).f));
    log(JSON.parse('[1,2,3]', ({ f(k, v) { if (k === "0") this.length = 1; return v; } }).f), JSON.parse('[1,2]', ({ f(k, v) { if (k === "0") this.push(9); return v; } }).f));
    log(JSON.parse('{"a":{"b":1}}', (k, v) => typeof v === "object" ? Object.freeze(v) : v), JSON.parse('{"__proto__":[1]}', (k, v) => v));
    attempt(() => JSON.parse('{"a":1}', () => { throw new Error("reviver"); })); attempt(() => JSON.parse("{bad", (k, v) => v)); log(JSON.parse('"x"', 5), JSON.parse(" [1] ", null));
    attempt(() => JSON.parse()); attempt(() => JSON.parse({})); log(JSON.parse({ toString: () => "[1,2]" }), JSON.parse(["5"]), JSON.parse(null));
    const p = JSON.parse('{"__proto__":1,"constructor":2}'); log(Object.keys(p), Object.getPrototypeOf(p) === Object.prototype);
  `,
  "JSON.stringify that calls the program": `
    const calls = [];
    log(JSON.stringify({ a: [1, { b: 2 }], c: "x" }, ({ f(key, value) { calls.push(key + "/" + (Array.isArray(this) ? "array" : Object.keys(this).join())); return value; } }).f), calls);
    for (const space of [undefined, 2, "\\t", "--", 0, 20]) {
      log(JSON.stringify({ a: [1, [], {}, { b: undefined }], toJSON: undefined, c: { toJSON(key) { return "json:" + key; } }, d: [undefined, () => 1], e: {} }, null, space));
      log(JSON.stringify([{ toJSON: () => undefined }, { toJSON: () => ({ x: 1 }) }, { x: { toJSON: () => undefined } }], null, space));
      log(JSON.stringify({ b: { a: 1, c: { a: 2, toJSON() { return { a: this.a, z: 1 }; } } }, a: 5, z: [{ a: 1, q: 2 }] }, ["a", "b", "c", "a", 1, { }], space));
      log(JSON.stringify({ list: [1, 2, 3], skip: 1 }, (k, v) => k === "skip" ? undefined : Array.isArray(v) ? v.concat(k) : v, space));
    }
    log(JSON.stringify({ toJSON() { return undefined; } }), JSON.stringify(1, () => undefined), JSON.stringify("x", (k, v) => k === "" ? [k, v, 1] : v), JSON.stringify({ toJSON: (k) => k === "" }));
    log(JSON.stringify([1, 2], (k, v) => k === "" ? v : String(k) + typeof k), JSON.stringify({ n: NaN, d: new Date(0), m: new Map([[1, 2]]), s: new Set([1]), r: /x/, e: new Error("m"), u: new Uint8Array([1, 2]), x: -0 }, (k, v) => v));
    log(JSON.stringify({ d: new Date(NaN), e: Object.assign(new Date(5), { toISOString: () => "mine" }), f: Object.assign(new Date(5), { toJSON: () => "own" }), g: [new Date(1e12)] }));
    attempt(() => JSON.stringify({ a: { toJSON: () => 1n } })); attempt(() => JSON.stringify({ a: 1n }, (k, v) => typeof v === "bigint" ? String(v) : v)); attempt(() => JSON.stringify({ toJSON() { throw new RangeError("toJSON"); } }));
    const circle = { name: "c", toJSON() { return { inner: [this.self] }; } }; circle.self = { back: { again: circle, self: null } }; circle.self.back.self = circle.self;
    attempt(() => JSON.stringify(circle)); attempt(() => JSON.stringify({ q: circle.self }, (k, v) => v)); attempt(() => { const a = [[]]; a[0].push({ x: a }); return JSON.stringify({ k: a }, (k, v) => v); });
    log(JSON.stringify({ get: 1, "1": 1, a: "\\u2028\\ud800" }, null, { toString: () => "x" }), JSON.stringify(undefined), JSON.stringify(() => 1), JSON.stringify(null), JSON.stringify("x"), JSON.stringify(Object.create(null)));
    log(JSON.stringify({ a: 1, b: 2 }, ({ f(k, v) { if (k === "a") delete this.b; return v; } }).f), JSON.stringify([1, 2, 3], ({ f(k, v) { if (k === "0") this.length = 1; return v; } }).f), JSON.stringify({ a: 1 }, ({ f(k, v) { if (k === "a") this.z = 1; return v; } }).f));
  `,
  dates: `${SPY}
    log(new Date(2020, 1, 30, 25, 61, 61, 1001).toISOString(), new Date(99, 0).getFullYear(), new Date("2020-02-30"), new Date(spy("value", 5)).getTime(), asked());
    log(new Date(spy("year", 2020), spy("month", 3), spy("day", "4")).toISOString(), asked(), new Date(new Date(7)).getTime(), new Date({}).getTime(), new Date(undefined).getTime(), new Date(null).getTime(), new Date(true).getTime(), new Date("5").getTime());
    log(new Date([2020, 1]).getTime(), new Date(8.64e15 + 1).getTime(), new Date(2020).getTime(), new Date("1 Jan 2020 10:00 GMT+2").toISOString(), new Date(2020, NaN).getTime());
    const d = new Date(0); log(d.setHours(spy("h", 5), spy("m", 6)), asked(), d.setFullYear(2021), d.setMonth(13, 5), d.setDate(0), d.setTime("9"), d.valueOf(), d.getTimezoneOffset());
    log(String(new Date(0)), new Date(0) + 1, new Date(5) - 1, \`\${new Date(0)}\`, new Date(0).toString(), new Date(NaN) + "", new Date(0).toDateString(), new Date(0).toTimeString(), new Date(0).toUTCString(), new Date(0).toGMTString());
    attempt(() => new Date(NaN).toISOString()); log(new Date(NaN).toJSON(), new Date(0).toJSON(), Date.UTC(2020), Date.UTC(), Date.parse("2020-01-01T00:00Z"), Date.length, new Date(NaN).setHours(1));
    attempt(() => Date.prototype.toJSON.call({ toISOString: () => "iso", valueOf: () => 1 })); attempt(() => Date.prototype.toJSON.call({ valueOf: () => Infinity })); attempt(() => Date.prototype.toJSON.call({})); attempt(() => Date.prototype.toJSON.call(null));
    attempt(() => Date.prototype.getTime.call({})); attempt(() => Date.prototype.setTime.call({}, 1)); attempt(() => new Date(1n)); attempt(() => Date.UTC(1n)); log(typeof Date(), new Date(2019, 0).getYear(), new Date(1e12) > new Date(1e11));
  `,
  "numbers, bigints and Math convert their arguments": `${SPY}
    log(Number(spy("n", "12")), asked(), Number(), Number(10n), Number([5]), Number({}), Number(new Date(3)), Number("0x1f"), Number(" 1e3 "), Number("1_0"));
    log(Math.max(spy("a", 1), NaN, spy("b", 2)), asked(), Math.pow(spy("x", 2), spy("y", 10)), asked(), Math.hypot(3, spy("z", 4)), Math.min(), Math.max(), Math.sign("-3"), Math.round(-0.5));
    log(BigInt(spy("b", "123")), asked(), BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n), BigInt("0xff"), (255n).toString(16), BigInt(true)); attempt(() => BigInt(1.5)); attempt(() => BigInt("x")); attempt(() => Math.abs(1n)); attempt(() => BigInt(undefined));
    log((25).toString(36), (0.1).toString(3), (1e21).toFixed(2), (1.005).toFixed(2), (123.456).toPrecision(4), (0).toExponential(2), (255).toString(spy("radix", 16)), asked()); attempt(() => (1).toFixed(101)); attempt(() => (1).toString(1));
    log(parseInt(spy("text", "12px"), spy("radix", 8)), asked(), parseFloat("3.14abc"), isNaN("x"), isFinite("5"), parseInt("0b1"), Number.parseInt === parseInt, Boolean([]), Boolean(""), true.toString());
    log(encodeURIComponent("a b/é😀"), decodeURIComponent("%F0%9F%98%80"), encodeURI("http://x/é?a=b c"), decodeURI("%2F%41")); attempt(() => decodeURIComponent("%")); attempt(() => encodeURI("\\ud800"));
    log(Math.sin(1), Math.exp(1), Math.log(10), Math.tan(0.5), Math.cbrt(27), Math.fround(5.5), Math.clz32(1), Math.imul(3, 4), Math.trunc(-4.7), Math.PI, Number.EPSILON, Math.atan2(1, 2));
  `,
};

for (const [name, body] of Object.entries(bodies)) {
  test(name, async () => {
    expect(runOnMachine(body)).toEqual(await runNatively(body));
  });
}
