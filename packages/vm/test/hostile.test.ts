import { InvalidProgram, type Program } from "@cairnjs/ir";
import { describe, expect, it } from "vitest";
import {
  type Image,
  InvalidSnapshot,
  ProgramRefused,
  decodeSnapshot,
  defaultLimits,
  deliver,
  encodeFull,
  loadProgram,
  newMachine,
} from "../src/index.ts";
import { answerTo, bodyImage, imageOf, startInput } from "./runs.ts";

/** `npm run verify` asks for the full hundred thousand. */
const MUTATIONS = Number(process.env["CAIRN_MUTATIONS"] ?? 6_000);
const SEED = Number(process.env["CAIRN_SEED"] ?? 20261115);
const limits = { ...defaultLimits, fuelPerInputMax: 20_000, stateBytesMax: 2_000_000 };

/** xorshift: the mutations of a seed are always the same. */
function chance(seed: number): (below: number) => number {
  let state = seed | 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const source = `
class Refused extends Error { constructor(message: string, readonly code: number) { super(message); } }
const RATES = { a: 1, list: [1, 2, { deep: true }] };
const act = action("act", async (value: unknown): Promise<any> => value);
const double = (x: number) => x * 2;
export default workflow("test.hostile", async (input: any): Promise<any> => {
  const out: any[] = []; const map = new Map([["k", { v: 1 }]]);
  for (let i = 0; i < 3; i++) { out.push(() => i, double(i), [...map.keys()], \`t\${i}\`); }
  try { throw new Refused("no", 3); } catch (error: any) { out.push(error.code, error instanceof Refused, RATES.list[1]); }
  finally { out.push(await act({ x: out.length })); }
  for (const key in { a: 1, b: 2 }) out.push(key);
  const [head, ...tail] = [3, 1, 2].sort((a, b) => a - b);
  const { a, ...rest } = { a: 1, b: 2 };
  const late = Promise.race([act("late"), new Promise((r) => r(5))]);
  switch (head) { case 1: out.push(await late); default: out.push(tail, rest, "abc".replace(/b/g, (x) => x + x)); }
  return out.map((x) => typeof x);
});`;

/** Runs whatever loads, and expects every input to be answered within the limits. */
function exercise(image: Image): void {
  const machine = newMachine(image, limits);
  const inputs = [startInput()];
  for (let count = 0; count < 8; count++) {
    const input = inputs.shift();
    if (input === undefined) return;
    const delivery = deliver(machine, input);
    if (!delivery.done) throw new Error("an input without slices must be done");
    for (const effect of delivery.effects) {
      const answer = answerTo(effect, input.at);
      if (answer !== null) inputs.push(answer);
    }
  }
}

function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, child]) =>
    places(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function replaceAt(value: unknown, path: readonly (string | number)[], made: unknown): void {
  let at = value as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  at[path.at(-1)!] = made;
}

describe("hostile programs", () => {
  const program = imageOf(source).program;

  it(`${MUTATIONS} mutations are refused, or fail only their own run (seed ${SEED})`, () => {
    const next = chance(SEED);
    const text = JSON.stringify(program);
    const codePlaces = places(program.functions.map(({ code }) => ({ code }))).map((path) => ["functions", ...path]);
    const allPlaces = places({ ...program, debug: undefined });
    const odd: readonly unknown[] = [
      -1,
      0,
      1,
      2,
      3,
      5,
      9,
      40,
      95,
      255,
      1e9,
      -1e9,
      0.5,
      "",
      "__proto__",
      "constructor",
      null,
      true,
      [],
      {},
    ];
    let accepted = 0;
    for (let round = 0; round < MUTATIONS; round++) {
      const mutant = JSON.parse(text) as Program;
      for (let change = 0; change <= next(2); change++) {
        const inCode = next(4) > 0;
        const path = inCode ? codePlaces[next(codePlaces.length)]! : allPlaces[next(allPlaces.length)]!;
        replaceAt(mutant, path, inCode && next(8) > 0 ? next(110) : odd[next(odd.length)]);
      }
      let image: Image;
      try {
        image = loadProgram(mutant);
      } catch (error) {
        if (!(error instanceof InvalidProgram) && !(error instanceof ProgramRefused)) throw error;
        continue;
      }
      accepted++;
      exercise(image);
    }
    expect(accepted).toBeGreaterThan(MUTATIONS / 50);
  });
});

describe("hostile snapshots", () => {
  const image = imageOf(source);
  const machine = newMachine(image, limits);
  const [call] = (() => {
    const delivery = deliver(machine, startInput());
    return delivery.done ? delivery.effects : [];
  })();
  const bytes = Buffer.from(encodeFull(machine).bytes);

  it(`${MUTATIONS} mutations are refused, or fail only their own run (seed ${SEED})`, () => {
    const next = chance(SEED + 1);
    let accepted = 0;
    for (let round = 0; round < MUTATIONS; round++) {
      let mutant = Buffer.from(bytes);
      for (let change = 0; change <= next(3); change++) mutant[next(mutant.length)] = next(256);
      if (next(20) === 0) mutant = mutant.subarray(0, next(mutant.length));
      let restored;
      try {
        restored = decodeSnapshot(image, [mutant], limits);
      } catch (error) {
        if (!(error instanceof InvalidSnapshot)) throw error;
        continue;
      }
      accepted++;
      const open = [...restored.open.keys()][0] ?? call!.id;
      deliver(restored, { kind: "result", at: 5_000, call: open, value: '{"a":1}' });
      encodeFull(restored);
    }
    expect(accepted).toBeGreaterThan(MUTATIONS / 100);
  });

  it("random bytes are never a snapshot", () => {
    const next = chance(SEED + 2);
    for (let round = 0; round < 2_000; round++) {
      const random = Uint8Array.from({ length: next(200) }, () => next(256));
      expect(() => decodeSnapshot(image, [random], limits)).toThrow(InvalidSnapshot);
    }
  });

  it("a snapshot of another program is refused", () => {
    expect(() => decodeSnapshot(bodyImage("return 1;"), [bytes])).toThrow(/another program/);
  });
});

describe("prototype tricks", () => {
  it.each([
    [
      "constructor.constructor",
      'const f = (x: any) => x["constr" + "uctor"]["constr" + "uctor"]; return f({})("return 1")();',
    ],
    ["__proto__ read", 'const k = "__pro" + "to__"; return ({} as any)[k].polluted;'],
    ["__proto__ write", 'const k = "__pro" + "to__"; ({} as any)[k] = { polluted: 1 };'],
    ["writes to intrinsics", "const p: any = Object.getPrototypeOf([]); p.x = 1;"],
    ["function text", 'const f = () => 1; const k = "toStr" + "ing"; return (f as any)[k]();'],
    ["setPrototypeOf", 'const k = "setProto" + "typeOf"; (Object as any)[k]({}, null);'],
  ])("%s ends the run with UnsupportedBuiltin", (_, body) => {
    const machine = newMachine(bodyImage(body));
    const delivery = deliver(machine, startInput());
    const text = JSON.stringify(delivery.done ? delivery.effects : []);
    expect(text).toContain("UnsupportedBuiltin");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("JSON and values with __proto__ keys make own properties", () => {
    const image = bodyImage(
      'const o = JSON.parse(\'{"__proto__":{"x":1}}\'); return [Object.keys(o), o.x === undefined, Object.keys(input)];',
    );
    const machine = newMachine(image);
    const delivery = deliver(machine, { ...startInput(), value: '{"__proto__":{"y":2}}' } as never);
    expect(JSON.stringify(delivery.done ? delivery.effects : [])).toContain(
      '[[\\"__proto__\\"],true,[\\"__proto__\\"]]',
    );
  });
});
