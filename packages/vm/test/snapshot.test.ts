import { describe, expect, it } from "vitest";
import {
  type Machine,
  decodeSnapshot,
  deliver,
  encodeDelta,
  encodeFull,
  encodeState,
  newMachine,
  proceed,
} from "../src/index.ts";
import { answerTo, bodyImage, resultOf, runInputs, runRestoring, runToEnd, startInput } from "./runs.ts";

const bodies: Readonly<Record<string, string>> = {
  "a sort with a comparator": "return [5, 3, 9, 1, 7, 7, 2].sort((a, b) => { console.log(a, b); return a - b; });",
  "a replace with a callback": 'return "a1b22c333".replace(/[0-9]+/g, (digits, at) => `<${digits}@${at}>`);',
  "a replacer and a reviver":
    'return JSON.parse(JSON.stringify({ a: [1, { b: 2 }] }, (k, v) => v), (k, v) => (typeof v === "number" ? v + 1 : v));',
  "copies of objects":
    "const a = { x: [1], y: 2 }; const b = { ...a }; const c = { ...b, z: [...b.x] }; return [a, b, c];",
  "map, set and iterators": `
    const m = new Map<any, any>([["a", 1], ["b", 2], ["c", 3]]);
    const it = m.entries(); it.next(); m.delete("b"); m.set("d", 4);
    const s = new Set([1, 2, 3]); const seen: any[] = [];
    for (const x of s) { if (x < 3) s.add(x + 10); s.delete(x); seen.push(x); }
    return [[...it], seen, [...s]];`,
  "concurrent calls": `
    const one = act(1); const two = act(2);
    const all = await Promise.all([one, two, act(3)]);
    const race = await Promise.race([act("slow"), Promise.resolve("fast")]);
    return [all, race, await Promise.allSettled([act(4), Promise.reject(new TypeError("x"))]).then((r) => r.map((x) => x.status))];`,
  "closures over loop variables":
    "const f: any[] = []; for (let i = 0; i < 3; i++) { await act(i); f.push(() => i++); } return f.map((g) => g() + g());",
  "aliases, cycles, holes, special numbers": `
    const a: any = { n: -0, x: NaN, u: undefined, big: 12345678901234567890n, list: [1, , 3] };
    a.self = a; const alias = a.list; await act(1); alias.push(4);
    return [Object.is(a.n, -0), Number.isNaN(a.x), "u" in a, String(a.big), a.list.length, 1 in a.list, a.self === a];`,
  "errors with causes": `
    try { try { null!.x; } catch (e) { await act(1); throw new Error("outer", { cause: e }); } }
    catch (e: any) { return [e.message, e.cause instanceof TypeError, e.stack.split("\\n")[0]]; }`,
  "finally around awaits": `
    const log: any[] = [];
    const f = async () => { try { log.push(await act("try")); return "r"; } finally { log.push(await act("finally")); } };
    return [await f(), log];`,
  "bytes, dates, urls": `
    const b = new Uint8Array([1, 2, 3]); const view = b.subarray(1); const d = new Date(86400000); const u = new URL("https://a.b/c?x=1");
    await act(1); view[0] = 9; u.searchParams.append("y", "2"); d.setUTCDate(5);
    return [[...b], d.toISOString(), u.href];`,
  "lone surrogates and wide text":
    'const s = "\\ud800x\\u2028" + "é" + "漢"; await act(1); return [s.length, s.charCodeAt(0)];',
  "regular expressions with state":
    'const re = /a(b?)/gd; const out = []; let m; while ((m = re.exec("abaab"))) { out.push([m[0], m[1], re.lastIndex]); await act(1); } return out;',
  "bound functions and resolvers": `
    let ok: any; const p = new Promise((resolve) => { ok = resolve; });
    const add = ((a: number, b: number) => a + b).bind(null, 5);
    await act(1); ok(add(2)); return p;`,
  "for…in under deletion":
    "const o: any = { a: 1, b: 2, c: 3 }; const seen = []; for (const k in o) { delete o.b; seen.push(k); await act(k); } return seen;",
};

describe("snapshot, restore, continue between every two instructions equals never stopping", () => {
  it.each(Object.entries(bodies))("%s", (_, body) => {
    const image = bodyImage(body);
    const straight = runToEnd(image);
    expect(resultOf(straight)).toBeDefined();
    expect(runRestoring(image)).toEqual(straight);
  });
});

/** Runs one instruction at a time, looking at the machine between any two. */
function stepping(body: string, look: (machine: Machine) => void): void {
  const machine = newMachine(bodyImage(body));
  runInputs(machine, startInput(), (_, input) => {
    let delivery = deliver(machine, input, 1);
    for (; !delivery.done; delivery = proceed(machine, 1)) look(machine);
    look(machine);
    return delivery;
  });
}

describe("the codec", () => {
  it.each(Object.entries(bodies))("gives the same bytes again after decoding: %s", (_, body) => {
    const image = bodyImage(body);
    const machine = newMachine(image);
    runInputs(machine, startInput(), (given, input) => {
      const delivery = deliver(given, input);
      const { bytes } = encodeFull(machine);
      expect(Buffer.from(encodeFull(decodeSnapshot(image, [bytes])).bytes).equals(Buffer.from(bytes))).toBe(true);
      return delivery;
    });
  });

  it.each(Object.entries(bodies))("a base and its deltas are the whole state: %s", (_, body) => {
    let parts: Uint8Array[] = [];
    let count = 0;
    stepping(body, (machine) => {
      const part = parts.length === 0 ? encodeFull(machine) : encodeDelta(machine);
      parts.push(part.bytes);
      if (count++ % 7 !== 0) return;
      const restored = decodeSnapshot(machine.image, parts);
      const expected = encodeFull(machine).bytes;
      expect(Buffer.from(encodeFull(restored).bytes).equals(Buffer.from(expected))).toBe(true);
      parts = [expected];
    });
    expect(count).toBeGreaterThan(10);
  });

  it("a list of 100,000 nodes overflows nothing", () => {
    const image = bodyImage(
      "let list: any = null; for (let i = 0; i < 100000; i++) list = { i, list }; await act(1); let n = 0; while (list) { n++; list = list.list; } return n;",
    );
    let machine = newMachine(image);
    deliver(machine, startInput());
    machine = decodeSnapshot(image, [encodeFull(machine).bytes]);
    const [effect] = [...machine.open.values()];
    const delivery = deliver(machine, { kind: "result", at: 2_000, call: effect!.id, value: "1" });
    expect(delivery.done && resultOf(delivery.effects)).toBe(100_000);
  });

  it("beyond 64 KB a small change makes a small delta", () => {
    const image = bodyImage(
      "const data = Array.from({ length: 5000 }, (_, i) => ({ i, name: 'n' + i })); for (let i = 0; ; i++) { data[i]!.name = await act('x'); }",
    );
    const machine = newMachine(image);
    let delivery = deliver(machine, startInput());
    const parts = [encodeState(machine)];
    expect(parts[0]!.kind).toBe("full");
    expect(parts[0]!.bytes.length).toBeGreaterThan(64 * 1024);
    for (let round = 0; round < 20; round++) {
      const [call] = delivery.done ? delivery.effects : [];
      delivery = deliver(machine, answerTo(call!, 1_000 + round)!);
      parts.push(encodeState(machine));
      expect(parts.at(-1)!.kind).toBe("delta");
      expect(parts.at(-1)!.bytes.length).toBeLessThan(1_000);
    }
    const restored = decodeSnapshot(
      image,
      parts.map(({ bytes }) => bytes),
    );
    expect(Buffer.from(encodeFull(restored).bytes).equals(Buffer.from(encodeFull(machine).bytes))).toBe(true);
  });

  it("a restored machine goes on with deltas, until they outweigh the base", () => {
    const image = bodyImage(
      "const data = Array.from({ length: 6000 }, (_, i) => ({ i, name: 'n' + i })); for (;;) { const at = await act('x'); for (let i = 0; i < 1500; i++) data[i]!.name = 'other' + at; }",
    );
    let machine = newMachine(image);
    let delivery = deliver(machine, startInput());
    let parts = [encodeState(machine).bytes];
    const kinds: string[] = [];
    for (let round = 0; round < 20; round++) {
      machine = decodeSnapshot(image, parts);
      const [call] = delivery.done ? delivery.effects : [];
      delivery = deliver(machine, answerTo(call!, 1_000 + round)!);
      const { kind, bytes } = encodeState(machine);
      kinds.push(kind);
      parts = kind === "full" ? [bytes] : [...parts, bytes];
      if (kind === "delta") expect(bytes.length).toBeLessThan(parts[0]!.length / 3);
    }
    expect(kinds[0]).toBe("delta");
    expect(kinds).toContain("full");
  });

  it("large strings are kept apart as blobs, and asked for by digest", () => {
    const image = bodyImage('const s = "é".repeat(50000) + "x"; await act(1); return s.length;');
    const machine = newMachine(image);
    deliver(machine, startInput());
    const { bytes, blobs } = encodeFull(machine, { blobLengthMin: 10_000 });
    expect(bytes.length).toBeLessThan(2_000);
    expect(blobs.size).toBe(1);
    const restored = decodeSnapshot(image, [bytes], undefined, (digest) => blobs.get(digest));
    expect(Buffer.from(encodeFull(restored).bytes).equals(Buffer.from(encodeFull(machine).bytes))).toBe(true);
    expect(() => decodeSnapshot(image, [bytes])).toThrow(/blob .* is missing/);
  });

  it("a loop that races one long promise does not grow", () => {
    const image = bodyImage(
      "const stop = act('stop'); for (let i = 0; ; i++) { const r = await Promise.race([stop, act(i)]); if (r === 'stop') return i; }",
    );
    const machine = newMachine(image);
    let delivery = deliver(machine, startInput());
    const sizes: number[] = [];
    for (let round = 0; round < 2_000; round++) {
      const call = delivery.done
        ? delivery.effects.find((effect) => effect.kind === "call" && effect.args !== '["stop"]')
        : undefined;
      delivery = deliver(machine, answerTo(call!, 1_000 + round)!);
      if (round % 500 === 499) sizes.push(encodeFull(machine).bytes.length);
    }
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(16);
  });
});
