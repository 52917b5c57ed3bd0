import { describe, expect, test } from "vitest";
import { type Effect, type Image, type Input, type Machine, defaultLimits, deliver, newMachine } from "../src/index.ts";
import { endOf, imageOf, resultOf, runToEnd, startInput } from "./runs.ts";
import { Watch, runWatched } from "./watched.ts";

/**
 * Every field that a snapshot has, in a body where its value is not the one that a new object has anyway. A field that
 * is not decoded changes the bytes of the restored machine; one that is not encoded changes what the body returns.
 *
 *   names, values, attributes, extensible       "attributes…", "names…"
 *   plain.proto                                 "prototypes"
 *   error.proto, trace                          "prototypes", "where an error was made"
 *   array.frozen, sealed, lengthFixed, items    "arrays that may not change", "holes"
 *   date.time                                   "dates"
 *   map and set: entries, serials               "entries and cursors"
 *   iterator.source, mode, target, position     "iterators"
 *   buffer.data, bytes.buffer, start, length    "bytes"
 *   regexp.source, flags                        "expressions"
 *   match.source, flags, text, state            "expressions"
 *   url.href, params; params.url, pairs         "a URL and its parameters"
 *   decoder.fatal, ignoreBom, bomSeen, pending  "decoders"
 *   foreign.codec, payload                      "an instance of a class with a codec"
 *   cell.value                                  "functions"
 *   closure.unit, cells, givenName, properties  "functions", "attributes of functions"
 *   bound.target, self, args, proto             "functions"
 *   durable.durable, name, node, options        "durable references"
 *   signal.name, node                           "durable references"
 *   frame.position, registers, caller, result, depth, callee, cells, self, newTarget, promise, settle   "frames"
 *   keyCursor.target, names, next               "a walk over keys"
 *   promise.state, value, handled, reactions    "promises"
 *   resolvers.promise, done; resolver.rejects   "resolvers"
 *   combinator.mode, promise, values, remaining, settled   "combinators"
 *   job records                                 "promises", "resolvers"
 *   values: -0, NaN, bigints, surrogates        "values"
 *   frame.depth                                 "how deep the stack is"
 *   roots                                       the tests below the table
 */
const bodies: Readonly<Record<string, string>> = {
  values: `
    const all: any = [-0, NaN, Infinity, -Infinity, 2 ** 51, -(2 ** 53), 0.1, 5e-324, -12n, 2n ** 70n, "\\ud800", "é", "", null, undefined, true, false];
    const o: any = { zero: -0 }, m = new Map<any, any>([["zero", -0]]), f = ((z: any) => () => z)(-0); let local = -0; await act(1);
    return [all.map((v: any) => (typeof v === "string" ? v.charCodeAt(0) : String(v))), 1 / all[0], 1 / o.zero, 1 / m.get("zero"), 1 / f(), 1 / local];`,
  "attributes of objects": `
    const o: any = { a: 1, b: 2, c: 3 }; Object.defineProperty(o, "a", { writable: false }); Object.defineProperty(o, "b", { enumerable: false });
    Object.defineProperty(o, "c", { configurable: false }); Object.defineProperty(o, "d", { value: 4 });
    const shut: any = Object.preventExtensions({ x: 1 }), sealed: any = Object.seal({ x: 1 }), frozen: any = Object.freeze({ x: 1 });
    await act(1); const errors: any[] = [];
    for (const f of [() => (o.a = 9), () => delete o.c, () => (o.d = 9), () => (shut.y = 1), () => delete sealed.x, () => (frozen.x = 2)])
      try { f(); errors.push("none"); } catch (e: any) { errors.push(e.message); }
    o.b = 7; shut.x = 2; sealed.x = 3; delete shut.x;
    return [errors, Object.keys(o), Object.getOwnPropertyDescriptors(o), shut, sealed, [o, shut, sealed, frozen].map((v) => [Object.isExtensible(v), Object.isSealed(v), Object.isFrozen(v)])];`,
  "attributes of others": `
    const all: any[] = [new Date(5), new Map(), new Set(), /x/, new Uint8Array(2), new URL("http://h/"), new URLSearchParams("a=1"), new TextEncoder(), new TextDecoder(), new Error("e"), [].values(), Promise.resolve(1), [1], act.with({}), (() => 1).bind(null), signal("x")];
    const fails: any[] = []; for (const v of all) { v.own = 1; try { Object.defineProperty(v, "hidden", { value: 2 }); Object.preventExtensions(v); } catch (e: any) { fails.push(e.message); } }
    await act(1);
    return [fails, all.map((v) => [v.own, v.hidden, Object.keys(v).join(), Object.isExtensible(v)])];`,
  "attributes of functions": `
    const f: any = (a: any, b: any) => a, g: any = () => 1, h: any = () => 2, k: any = () => 3; f.own = 1; Object.freeze(g);
    Object.defineProperty(h, "name", { value: "given" }); Object.preventExtensions(k); let ok: any; new Promise((r) => { ok = r; }); ok.own = 5;
    await act(1); const errors: any[] = []; for (const fn of [g, k]) try { fn.x = 1; } catch (e: any) { errors.push(e.message); }
    return [errors, f.own, f.length, f.name, h.name, ok.own, ok.length, ok.name, Object.getOwnPropertyNames(f), Object.isFrozen(g)];`,
  "names in a bag": `
    const o: any = { a: 1, b: 2, 7: 3, 1: 4 }; delete o.a; o.a = 5; const big: any = {}; for (let i = 0; i < 40; i++) big["k" + i * 7] = i;
    await act(1); o.z = 1; return [Object.keys(o), Object.keys(big).length, big.k7, JSON.stringify(o)];`,
  prototypes: `
    const bare: any = Object.create(null); bare.x = 1; const e: any = new Oops("m", 4), t = new RangeError("r", { cause: e }), a = new AggregateError([1], "all");
    await act(1);
    return ["toString" in bare, bare.x, e instanceof Oops, e.name, e.code, String(t), (t.cause as any) === e, a.errors, String(a), Object.keys(e)];`,
  "arrays that may not change": `
    const frozen: any = Object.freeze([1, 2]), sealed: any = Object.seal([1, 2]), shut: any = Object.preventExtensions([1, 2]), fixed: any = [1, 2];
    Object.defineProperty(fixed, "length", { writable: false }); const named: any = [1]; named.x = 1; Object.defineProperty(named, "y", { value: 2 });
    await act(1); const errors: any[] = [];
    for (const f of [() => (frozen[0] = 9), () => sealed.pop(), () => (sealed[2] = 1), () => shut.push(1), () => fixed.push(1), () => (fixed.length = 0), () => fixed.pop(), () => (named.y = 3)])
      try { f(); errors.push("none"); } catch (e: any) { errors.push(e.message); }
    sealed[0] = 5; shut.pop(); fixed[0] = 6;
    return [errors, frozen, sealed, shut, fixed, named.x, named.y, Object.keys(named), [frozen, sealed, shut, fixed].map((v) => [Object.isExtensible(v), Object.isSealed(v), Object.isFrozen(v)])];`,
  holes: `
    const a: any[] = [1, , 3]; a.length = 6; const far: any[] = []; far[100000] = 1; const none: any[] = []; none.length = 3; await act(1);
    return [a.length, 1 in a, 2 in a, 4 in a, far.length, Object.keys(far), none.length, 0 in none];`,
  dates:
    "const d = new Date(-1), none = new Date(NaN); await act(1); d.setTime(d.getTime() - 5); return [d.getTime(), String(none.getTime())];",
  "entries and cursors": `
    const m = new Map<any, any>(), s = new Set<any>(); for (let i = 0; i < 6; i++) { m.set(i, { i }); s.add("k" + i); }
    m.delete(0); s.delete("k5"); const it = m.entries(); it.next(); const its = s.values(); its.next(); m.delete(2); s.delete("k1");
    await act(1); m.set("late", -0); s.add("late"); m.delete(3); const rest = [...it].map(([k]) => k); m.clear(); m.set(1, 2);
    const emptied = new Set([1, 2]); const over = emptied.values(); over.next(); emptied.clear(); await act(2); emptied.add(3);
    return [rest, [...its], [...m], [...over], m.size];`,
  iterators: `
    const m = new Map([["a", 1], ["b", 2]]), s = new Set(["x", "y"]), a = ["p", "q"], b = new Uint8Array([7, 8]), p = new URLSearchParams("k=v&l=w");
    const its: any[] = [a.keys(), a.values(), a.entries(), m.keys(), m.values(), m.entries(), s.values(), s.entries(), b.keys(), b.values(), b.entries(), p.keys(), p.values(), p.entries(), "a1b2".matchAll(/[a-z]/g)];
    const done: any = [1].values(); [...done]; for (const it of its) it.next(); await act(1); const seen: any[] = [];
    for (const c of "héx") { await act(c); seen.push(c); }
    return [its.map((it) => [...it]), [...done], seen, its.map((it) => [...it].length)];`,
  bytes: `
    const b = new Uint8Array([1, 2, 3, 4, 5]), middle = b.subarray(1, 4), inner = middle.subarray(1), other = b.slice(); await act(1);
    inner[0] = 99; b[4] = 98; return [[...b], [...middle], [...inner], [...other], middle.byteOffset, inner.byteOffset, inner.length];`,
  expressions: `
    const re: any = /a(?<n>b?)/dgi; re.exec("xxABab"); const sticky: any = /b/y; sticky.lastIndex = 2; await act(1);
    const m = re.exec("xxABab"); return [re.lastIndex, re.flags, re.source, m.index, m.groups.n, m.indices[0], sticky.test("aab"), sticky.lastIndex, /^(?:(a+)+|(b+)+)c$/i.test("aaaaaaaabbbbbbd"), /^(?:(?:a+)+b|a+C)$/i.test("a".repeat(13) + "c")];`,
  "a URL and its parameters": `
    const u = new URL("https://u:p@h.example:8/a/b?x=1&y=2#f"), p = u.searchParams, own = new URLSearchParams("z=1&z=2"); await act(1);
    p.append("q", "é"); own.append("w", "1"); u.hash = "g"; await act(2); u.search = "?n=1";
    return [u.href, String(p), p === u.searchParams, String(own), u.port, u.username];`,
  decoders: `
    const plain: any = new TextDecoder(), fatal: any = new TextDecoder("utf-8", { fatal: true }), bom: any = new TextDecoder("utf-8", { ignoreBOM: true }), seen: any = new TextDecoder();
    const out: any[] = [plain.decode(new Uint8Array([0xe6, 0x97]), { stream: true }), seen.decode(new Uint8Array([0xef, 0xbb, 0xbf, 97]), { stream: true })];
    await act(1);
    out.push(plain.decode(new Uint8Array([0xa5])), seen.decode(new Uint8Array([0xef, 0xbb, 0xbf, 98])).length, bom.decode(new Uint8Array([0xef, 0xbb, 0xbf])).length, fatal.fatal, bom.ignoreBOM);
    try { fatal.decode(new Uint8Array([0xff])); } catch (e: any) { out.push(e.name); }
    return [out, [...new TextEncoder().encode("é")]];`,
  "an instance of a class with a codec": "const kept = [input.d, input.d, input.e]; await act(1); return kept;",
  functions: `
    let n = 1; const key = await act("k"); const o: any = { [key]: () => n++, [key + 2]: async () => n, m() { return this.v; }, v: 6 };
    const two = [() => n, () => { n += 10; }], bound: any = o.m.bind({ v: 7 }, 1, 2), again = bound.bind(null), asyncBound: any = o.k2.bind(null); const late = () => tdz; await act(1);
    o.k(); two[1]!(); let tdz = 3; tdz++;
    return [o.k.name, n, o.m(), bound(), again(), bound.name, bound.length, typeof asyncBound.then, await o.k2(), late(), [1, 2].map(String.prototype.concat.bind("s")), ((...all: any[]) => all).bind(null, 8, { nine: 9 })(10), Object.getPrototypeOf(asyncBound) === Object.getPrototypeOf(o.k2), Object.getPrototypeOf(bound) === Function.prototype];`,
  "durable references": `
    const slow: any = act.with({ timeout: 5, retry: { attempts: 2 } }), made: any = signal("own"), kid: any = child.with({ id: "c" }), table = new Map<any, any>([[act, 1]]); await act(1);
    const waits: any = made.wait(), started: any = kid(5); void waits; void started;
    return [await slow("x"), table.get(act), typeof slow, slow.name, made.name, typeof kid, await act.with({ id: "fixed" })("y"), await sleep(5)];`,
  frames: `
    const log: any[] = []; const obj: any = { v: 2, async m(x: any) { const y = await act(x); return [this.v, y, await this.n(y)]; }, async n(z: any) { return [this.v, z, await act(z)]; } };
    const fact = function me(k: number): number { return k < 2 ? 1 : k * me(k - 1); };
    const tries = async () => { try { log.push(await act("t")); throw new Oops("x", await act(3)); } catch (e: any) { log.push(e.code); return await act("c"); } finally { log.push(await act("f")); } };
    const nested = [3, 1, 2].sort((a, b) => [a, b].map((i) => fact(i)).reduce((x, y) => x - y));
    return [await obj.m(1), await Promise.all([tries(), obj.n(4)]), log, fact(5), nested, new Oops("m", 1) instanceof Wrapped, new Wrapped("w", 2).code];`,
  "a walk over keys": `
    const o: any = { a: 1, b: 2, c: 3 }; const seen: any[] = []; for (const k in o) { seen.push(k); await act(k); if (k === "a") { delete o.b; o.d = 4; } }
    for (const k in "xy") { seen.push(await act(k)); } return seen;`,
  promises: `
    const log: any[] = []; const done = Promise.resolve({ v: 1 }), failed: any = Promise.reject(new Error("no")), open = act(5); failed.catch(() => 0);
    const chain = open.then((v: any) => { log.push(v); return v + 1; }, () => 0).then((v: any) => log.push(v)), passed = Promise.resolve().then(() => open), thenable: any = { then(ok: any) { log.push("called"); ok("t"); } };
    const late = (async () => { log.push(await open); return "late"; })(); await act(1);
    return [await done, await failed.catch((e: any) => e.message), await chain, await passed, await thenable, await late, log];`,
  resolvers: `
    let ok: any, no: any, done: any, other: any; const p = new Promise((a, b) => { ok = a; no = b; }), q = new Promise((a, b) => { done = a; other = b; });
    const never = new Promise(() => 0); done(never); await act(1); done("second"); other("third"); no("reason"); ok("too late");
    const first = await Promise.race([q, act("still open")]); const r = await p.catch((e: any) => ["rejected", e]);
    let settle: any; const s = new Promise((a) => { settle = a; }); settle(p.catch(() => "adopted")); settle("ignored"); await act(2); settle("ignored too");
    return [first, r, await s];`,
  combinators: `
    const a = act(1), b = act(2); const all = Promise.all([a, b, 3]), settled = Promise.allSettled([a, Promise.reject("x"), b]), race = Promise.race([b, act(3)]), any = Promise.any([Promise.reject(1), b]), none = Promise.any([Promise.reject(7), Promise.reject(8)]).catch((e: any) => e.errors);
    const lost = Promise.all([Promise.reject("first"), b]).catch((e: any) => e); await a; await act(4);
    return [await all, await settled, await race, await any, await none, await lost];`,
};

const HEAD = `
const act = action("act", async (value: unknown): Promise<any> => value);
const undo = action("undo", async (value: unknown): Promise<any> => value);
const child = workflow("child", async (input: any): Promise<any> => input);
class Oops extends Error { code: number; constructor(message: string, code: number) { super(message); this.code = code; } }
class Wrapped extends Oops { extra = 1; }`;

function imageFor(body: string): Image {
  return imageOf(`${HEAD}\nexport default workflow("test.body", async (input: any): Promise<any> => { ${body} });`);
}

const INPUT = JSON.stringify({ d: { $codec: ["decimal.js", "1.10"] }, e: { $codec: ["big", { x: [1] }] } });

describe("every field of every layout survives", () => {
  test.each(Object.entries(bodies))("%s", (_, body) => {
    const image = imageFor(body);
    const straight = runToEnd(image, INPUT);
    expect(resultOf(straight)).toBeDefined();
    expect(runWatched(image, INPUT).effects).toEqual(straight);
  });
});

test("how deep the stack is", () => {
  const limits = { ...defaultLimits, callDepthMax: 12, fuelPerInputMax: 5_000 };
  const image = imageFor(
    "const deep = (n: number): number => { try { return deep(n + 1); } catch { return n; } }; return deep(0);",
  );
  const straight = runToEnd(image, "null", limits);
  expect(resultOf(straight)).toBeLessThan(12);
  expect(runWatched(image, "null", limits).effects).toEqual(straight);
});

/** Gives the same inputs to a machine that goes on and to one that is restored between every two instructions. */
function compare(body: string, inputs: readonly Input[]): readonly Effect[] {
  const image = imageFor(body);
  const straight = newMachine(image);
  const watch = new Watch(image);
  let last: readonly Effect[] = [];
  for (const input of inputs) {
    const expected = deliver(straight, input);
    expect(watch.give(input)).toEqual(expected);
    expect(rootsOf(watch.machine)).toEqual(rootsOf(straight));
    last = expected.done ? expected.effects : [];
  }
  return last;
}

/** What the machine holds besides objects. */
function rootsOf(machine: Machine): unknown {
  const { phase, inputNumber, ordinal, at, chance, fuelUsed, pendingFuel, info, cancelled, outcome, compensations } =
    machine;
  const { bytesAllocated, bytesLive, bytesCounted } = machine;
  const open = [...machine.open.values()].map(({ id, kind, node, name, promise }) => [
    id,
    kind,
    node,
    name,
    promise?.state,
  ]);
  const counts = [machine.unhandled.length, machine.jobs.length - machine.jobsTaken, machine.body?.state];
  const numbers = { bytesAllocated, bytesLive, bytesCounted, fuelUsed, pendingFuel, inputNumber, ordinal, at };
  return {
    phase,
    chance,
    info,
    cancelled,
    outcome,
    compensations,
    open,
    counts,
    numbers,
    signals: [...machine.signals],
  };
}

function traceOf(effects: readonly Effect[]): string[] {
  return endOf(effects).trace.map((line) => line.function);
}

const result = (call: string, value: unknown, at = 2_000): Input => ({
  kind: "result",
  at,
  call,
  value: JSON.stringify(value),
});

describe("every root survives", () => {
  test("time, chance, run information, ids and counters", () => {
    const body = `const before = [Date.now(), Math.random(), crypto.randomUUID()]; await act(before); let s = ""; for (let i = 0; i < 200; i++) s += "x".repeat(100);
      const { startedAt, ...rest } = runInfo(); return [before, Date.now(), Math.random(), crypto.randomUUID(), rest, startedAt.getTime(), s.length];`;
    const [end] = compare(body, [startInput(), { kind: "reseed", at: 1_500, seed: "other" }, result("1.0", 1, 5_000)]);
    expect(end).toMatchObject({ kind: "end", status: "succeeded" });
  });

  test("the bytes that were counted last", () => {
    const body = `const s = "x".repeat(1_500_000); await act(1); return s.length;`;
    expect(resultOf(compare(body, [startInput(), result("1.0", 1)]))).toBe(1_500_000);
  });

  test("signals that came early, waits, sleeps and open calls", () => {
    const body = `const done: any[] = []; const a = act("a"), kid: any = child({ n: 1 }), nap: any = sleep(50), w = signal("w").wait({ timeout: 100 }).catch((e: any) => e.name);
      done.push(await signal("early").wait(), await signal("early").wait()); return [done, await a, await kid, await nap, await w, emit("e", done), progress(1)];`;
    const signal = (value: unknown): Input => ({
      kind: "signal",
      at: 1_001,
      name: "early",
      value: JSON.stringify(value),
    });
    const inputs = [startInput(), signal(1), signal({ two: 2 }), signal(3), result("1.0", "A"), result("1.1", "K")];
    const timers: Input[] = ["1.2", "1.3"].map((call) => ({ kind: "timer", at: 3_000, call }));
    expect(compare(body, [...inputs, ...timers]).at(-1)).toMatchObject({ kind: "end", status: "succeeded" });
  });

  test("a failed run between its compensations, with the place where its error was made", () => {
    const body = `const deep = () => { throw new Oops("bad", 1); }; compensate(undo, 1); compensate(undo, { two: 2 }); await act(1); void Promise.reject(new Error("unseen")); deep();`;
    const first = compare(body, [startInput(), result("1.2", 1)]).find(({ kind }) => kind === "call")!;
    const failing: Input = {
      kind: "error",
      at: 3_000,
      call: first.id,
      error: '{"$error":{"names":["Error"],"message":"u"}}',
    };
    const second = compare(body, [startInput(), result("1.2", 1), failing]).find(({ kind }) => kind === "call")!;
    const last = compare(body, [startInput(), result("1.2", 1), failing, result(second.id, 1)]);
    expect(last).toMatchObject([{ kind: "end", status: "failed" }]);
    expect(traceOf(last)).toEqual(["Oops", "deep", "body"]);
  });

  test("a cancelled run whose body goes on", () => {
    const body = `const p = act(1), q = sleep(5); try { await p; } catch (e: any) { console.log(e.name, e.message); } await q.catch(() => 0);
      const later = await act(2).catch((e: any) => e.message); return later;`;
    const effects = compare(body, [startInput(), { kind: "cancel", at: 2_000, reason: "enough" }]);
    expect(effects.at(-1)).toMatchObject({ kind: "end", status: "cancelled" });
  });

  test("where an error was made, when it is thrown later", () => {
    const body = `const make = () => new Oops("kept", 1); const e = make(); await act(1); throw e;`;
    const effects = compare(body, [startInput(), result("1.0", 1)]);
    expect(traceOf(effects)).toEqual(["Oops", "make", "body"]);
  });

  test("rejections that nobody has handled yet", () => {
    const body = `const lost = Promise.reject(new Error("lost")), found: any = Promise.reject(new Error("found")); await act(1); found.catch(() => 0); await act(lost === found); return 1;`;
    const effects = compare(body, [startInput(), result("1.0", 1), result("2.0", 1)]);
    expect(effects.map(({ kind }) => kind)).toEqual(["warning", "end"]);
  });
});
