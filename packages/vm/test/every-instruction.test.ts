import { instructions } from "@cairnjs/ir";
import { describe, expect, test } from "vitest";
import type { Image } from "../src/index.ts";
import { costOf, expressionImage } from "./cost.ts";
import { imageOf, resultOf, runToEnd } from "./runs.ts";
import { runWatched } from "./watched.ts";

/**
 * Bodies that together run every instruction, with the delta compared after each one. Objects are made before an
 * await and written after it, since an object that is new to a delta is written whole whether it was marked or not.
 */
const bodies: Readonly<Record<string, string>> = {
  "named and computed properties, set and deleted": `
    const o: any = { a: 1, b: 2, c: 3 }; const key = await act("k");
    o.a = 2; o[key] = 3; o.d = 4; delete o.b; delete o[key]; o.a = 5; o["c"] = -0;
    return [o, Object.is(o.c, -0)];`,
  "a property added where an inline cache knows the way": `
    const all: any[] = []; for (let i = 0; i < 4; i++) all.push({ i }); await act(1);
    for (const o of all) o.late = o.i; for (const o of all) o.late = o.late + 1;
    return all;`,
  "elements, length, holes and names of arrays": `
    const a: any = [1, 2, 3]; const at = await act(1);
    a[at] = 7; a[5] = 8; a.name = "n"; a.length = 7; delete a[0]; a[a.length] = 9; a[0.5] = 1;
    const b: any[] = [1, , ...a, 4]; b[0]++; return [a.length, Object.keys(a), b.length];`,
  "bytes through two views": `
    const bytes: any = new Uint8Array(4), view: any = bytes.subarray(1); await act(1);
    view[0] = 300; bytes[3] = -1; view.note = 1; return [[...bytes], view.note];`,
  "variables that closures share": `
    let n = 0; const add = () => { n += 1; return n; }; const fs: any[] = [];
    await act(1); add(); n = n + 10;
    for (let i = 0; i < 2; i++) { fs.push(() => i++); await act(i); }
    const later = () => early; let early = 5; early++;
    const inner = () => { const deep = () => { n = n * 2; early = n; }; deep(); }; inner();
    return [n, fs.map((f) => f() + f()), later()];`,
  "variables that are not initialised yet": `
    const seen: any[] = []; const f = () => { try { x = 5; } catch (e: any) { seen.push(e.name); } };
    f(); await act(1); let x = 1; const g = () => { x = x + 1; return x; };
    try { const early: any = () => y; early(); const y = 1; } catch (e: any) { seen.push(e.message); }
    try { seen.push(z); let z = 1; seen.push(() => z++); } catch (e: any) { seen.push(e.name); }
    try { seen.push(w); let w = 1; w++; } catch (e: any) { seen.push(e.name); }
    { function even(k: number): boolean { return k === 0 || odd(k - 1); } function odd(k: number): boolean { return k > 0 && even(k - 1); } seen.push(even(2)); }
    try { v = 2; let v = 1; seen.push(() => v++); } catch (e: any) { seen.push(e.name); }
    let u = 1; if (seen[9] === undefined || u > 5) { u = 2; seen.push(u); }
    const fixed = 1; try { (fixed as any) = 2; } catch (e: any) { seen.push(e.message); }
    g(); f(); return [seen, x];`,
  literals: `
    const key = await act("k"); const base = { p: 1, q: 2 };
    const o: any = { [key]: 1, [key + "f"]: () => 1, m() { return this.k; }, ...base, 7: 1 };
    const { p, [key]: k, ...rest } = o; const [first, , ...others] = [1, 2, 3, 4]; const [none, also] = [] as any[];
    return [o.kf.name, o.m(), p, k, Object.keys(rest), first, others, none, also, /a+/g.flags];`,
  iteration: `
    const out: any[] = []; const m = new Map<any, any>([["a", 1], ["b", 2]]);
    for (const [k, v] of m) { out.push(k, v); await act(k); if (k === "a") m.set("c", 3); }
    const o: any = { x: 1, y: 2 }; for (const k in o) { out.push(k); delete o.y; await act(k); }
    for (const c of "ab") { await act(c); out.push(c); }
    return out;`,
  "calls, spreads and classes": `
    const f = function me(...rest: any[]): any { return rest.length > 3 ? 0 : me(...rest, 1) + rest.length; };
    const bound = f.bind(null, 1); const args = [await act(1), 2]; const nested = (g: any) => g();
    const e = new Oops("m", 5); const e2 = new (Wrapped as any)(...["w", { cause: e }]); e.extra = await act(2);
    const d = new Date(...([2020, 1] as [number, number]));
    return [f(), bound(...args), e.message, e.code, e.extra, e2 instanceof Oops, e2.cause === e, d.getTime(), nested(() => 3)];`,
  operators: `
    const n = await act(6), s = await act("x"), b = 3n; let i = n; i++; i--; let big = b; big++; big--;
    const o: any = { n }; o.n += 2; o.n **= 2; o.list ??= []; o.list.push(typeof s, -n, +s, ~n, !n, void 0);
    const num = [n + 1, n - 1, n * 2, n / 4, n % 4, n ** 2, n & 3, n | 1, n ^ 1, n << 2, n >> 1, n >>> 1];
    const bool = [n == 6, n != 6, n === 6, n !== 6, n < 7, n <= 6, n > 7, n >= 6, "n" in o, o instanceof Object];
    const maybe = s?.length ?? (n ? 1 : 2); const text = \`\${s}-\${n}-\${o.list.length}\`; const { q = 4 } = o; const { list: [head] = [] } = o;
    let and = n && s; and ||= 1; and &&= 2; const hex: any = {}; hex[\`\${n}\`] = 1; const r = o.gone === undefined ? 1 : 2;
    const nul = null, yes = true, no = false; const opt = (undefined as any)?.a.b; const f = (z = 5, w: any = z) => [z, w];
    try { const { bad } = nul as any; return bad; } catch (e: any) { return [num, bool, maybe, text, q, head, and, hex, r, yes, no, opt, f(), String(big), i, e.name]; }`,
  "promises and their jobs": `
    const log: any[] = []; let ok: any, no: any; const p = new Promise((a, b) => { ok = a; no = b; });
    const thenable: any = { then(r: any) { r("t"); r("again"); } };
    const all = Promise.all([p, act(1), thenable]); const race = Promise.race([p, act(2)]); const any = Promise.any([Promise.reject(1), p]);
    const settled = Promise.allSettled([p, Promise.reject(3)]);
    const chained = p.then((v) => { log.push(v); return act(v); }).finally(() => log.push("f")); const lost = Promise.reject(4);
    await act(3); ok("v"); ok("w"); no("x"); lost.catch((e: any) => log.push(e));
    const r = [await all, await race, await any, await settled, await chained, await thenable];
    try { if (log.length > 0) throw new TypeError("r"); } catch (e: any) { log.push(e.message); } finally { log.push("end"); }
    return [r, log];`,
};

function imageFor(body: string): Image {
  return imageOf(`
const act = action("act", async (value: unknown): Promise<any> => value);
class Oops extends Error { code: number; extra: any; constructor(message: string, code: number) { super(message); this.code = code; } }
class Wrapped extends Oops { constructor(...rest: [any, any]) { super(...rest); } }
const TABLE = { one: 1 };
export default workflow("test.body", async (input: any): Promise<any> => { void TABLE.one; ${body} });`);
}

/** Only the module's initialiser has these, which runs before there is a machine. */
const INITIALISER_ONLY = ["SetGlobal", "Class"];

describe("what an instruction writes is in the next delta", () => {
  const seen = new Set<string>();

  test.each(Object.entries(bodies))("%s", (_, body) => {
    const image = imageFor(body);
    const watched = runWatched(image);
    expect(resultOf(watched.effects)).toEqual(resultOf(runToEnd(image)));
    for (const name of watched.instructions) seen.add(name);
  });

  test("these are all instructions", () => {
    const missing = instructions.map(({ name }) => name).filter((name) => !seen.has(name));
    expect(missing).toEqual(INITIALISER_ONLY);
  });
});

/** Expressions whose instructions do more work on larger values. The host can stop in none of them. */
const work: readonly (readonly [expression: string, before: string])[] = [
  ["[...items]", "const items = list(n);"],
  ["[...s]", "const s = text(n);"],
  ["f(...items)", "const items = list(n), f: any = Object.is;"],
  ["bound(1)", "const bound: any = (Object.is as any).bind(null, ...list(n));"],
  ["rest(...items)", "const items = list(n), rest: any = (...all: any[]) => all;"],
  ["({ ...o })", "const o = record(n);"],
  ["({ ...s })", "const s = text(n);"],
  ["(({ k0, ...others }: any) => others)(o)", "const o = record(n);"],
  ["(([head, ...tail]: any) => tail)(items)", "const items = list(n);"],
  ["(() => { for (const k in o) return k; })()", "const o = record(n);"],
  ["s + s", "const s = text(n);"],
  ["+s", "const s: any = '1'.repeat(n);"],
  ["-s", "const s: any = '1'.repeat(n);"],
  ["s - 1", "const s: any = '1'.repeat(n);"],
  ["1 * s", "const s: any = '1'.repeat(n);"],
  ["s == 1", "const s: any = '1'.repeat(n);"],
  ["1 < s", "const s: any = '1'.repeat(n);"],
  ["s == 1n", "const s: any = '1'.repeat(n);"],
  ["1n < s", "const s: any = '1'.repeat(n);"],
  ["s === t", "const s = text(n) + 'a', t = text(n) + 'a';"],
  ["s !== t", "const s = text(n) + 'a', t = text(n) + 'a';"],
  ["s == t", "const s = text(n) + 'a', t = text(n) + 'a';"],
  ["s < t", "const s = text(n) + 'a', t = text(n) + 'b';"],
  ["s >= t", "const s = text(n) + 'a', t = text(n) + 'b';"],
  ["(a.length = s)", "const a: any = [], s: any = '0'.repeat(n);"],
  ["(b[0] = s)", "const b: any = new Uint8Array(1), s: any = '0'.repeat(n);"],
  ["b + b", "const b: any = 3n ** BigInt(n * 16);"],
  ["b * b", "const b: any = 3n ** BigInt(n * 16);"],
  ["'' + b", "const b: any = 3n ** BigInt(n);"],
  ["`${b}`", "const b: any = 3n ** BigInt(n);"],
  ["o[b]", "const o: any = {}, b: any = 3n ** BigInt(n);"],
  ["b in o", "const o: any = {}, b: any = 3n ** BigInt(n);"],
  ["delete o[b]", "const o: any = {}, b: any = 3n ** BigInt(n);"],
  ["({ [b]: 1 })", "const b: any = 3n ** BigInt(n);"],
];

const SMALL = 512;
const LARGE = SMALL * 16;

describe("an instruction pays for its work", () => {
  test.each(work)("%s", (expression, before) => {
    const image = expressionImage(before, expression);
    const nothing = expressionImage(before, "");
    const [small, large] = [SMALL, LARGE].map((size) => costOf(image, size).fuel - costOf(nothing, size).fuel);
    expect(large).toBeGreaterThanOrEqual(LARGE / 100);
    expect(large).toBeGreaterThanOrEqual(4 * small!);
  });
});
