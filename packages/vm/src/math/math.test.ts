import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as math from "./index.ts";

/**
 * Node 20 defines the results, so there the functions are compared with the native ones on many inputs, and
 * golden.json with what the native ones answer (after a deliberate change of its inputs: `vitest run -u` on Node 20).
 * Every version compares the functions with golden.json.
 */
const isReferenceNode = process.versions.node.startsWith("20.");
const SEED = 20_240_229;
const INPUTS = 200_000;
const GOLDEN_INPUTS = 300;

type Name = Exclude<keyof typeof math, "hypot">;
type Binary = "atan2" | "pow";
const UNARY: readonly Exclude<Name, Binary>[] = [
  ...(["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "exp", "expm1"] as const),
  ...(["log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh"] as const),
];

describe.runIf(isReferenceNode)(`against the native functions, seed ${SEED}`, () => {
  test.each(UNARY)("%s answers the same bits", (name) => {
    const random = mulberry32(SEED);
    const ours = math[name];
    const native = Math[name];
    expect(
      differences(
        INPUTS,
        () => [unaryInput(random)],
        (x) => ours(x!),
        (x) => native(x!),
      ),
    ).toEqual([]);
  });

  test("atan2 answers the same bits", () => {
    const random = mulberry32(SEED);
    const inputs = (): number[] => atan2Input(random);
    expect(
      differences(
        INPUTS,
        inputs,
        (y, x) => math.atan2(y!, x!),
        (y, x) => Math.atan2(y!, x!),
      ),
    ).toEqual([]);
  });

  test("pow answers the same bits as Math.pow and as **", () => {
    const random = mulberry32(SEED);
    const inputs = (): number[] => powInput(random);
    expect(
      differences(
        2 * INPUTS,
        inputs,
        (x, y) => math.pow(x!, y!),
        (x, y) => Math.pow(x!, y!),
      ),
    ).toEqual([]);
    expect(
      differences(
        2 * INPUTS,
        inputs,
        (x, y) => math.pow(x!, y!),
        (x, y) => x! ** y!,
      ),
    ).toEqual([]);
  });

  test("pow is the same for the constant exponents and bases that an optimising compiler replaces", () => {
    const random = mulberry32(SEED);
    const inputs = (): number[] => [unaryInput(random)];
    expect(
      differences(
        INPUTS,
        inputs,
        (x) => math.pow(x!, 2),
        (x) => x! ** 2,
      ),
    ).toEqual([]);
    expect(
      differences(
        INPUTS,
        inputs,
        (x) => math.pow(x!, 0.5),
        (x) => x! ** 0.5,
      ),
    ).toEqual([]);
    expect(
      differences(
        INPUTS,
        inputs,
        (x) => math.pow(2, x!),
        (x) => 2 ** x!,
      ),
    ).toEqual([]);
  });

  test("hypot answers the same bits for any number of arguments", () => {
    const random = mulberry32(SEED);
    const inputs = (): number[] => hypotInput(random);
    expect(differences(INPUTS, inputs, math.hypot, Math.hypot)).toEqual([]);
  });

  test("golden.json holds the answers of the native functions", async () => {
    const golden = Object.fromEntries(
      [...UNARY, "atan2", "pow", "hypot"].map((name) => [name, goldenLines(name as Name | "hypot")]),
    );
    await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot("golden.json");
  });
});

describe("against golden.json, made by the native functions of Node 20", () => {
  const golden = JSON.parse(readFileSync(new URL("golden.json", import.meta.url), "utf8")) as Record<string, string[]>;

  test("every function is in it", () => {
    expect(Object.keys(golden).toSorted()).toEqual(Object.keys(math).toSorted());
  });

  test.each(Object.keys(golden) as (Name | "hypot")[])("%s answers the same bits", (name) => {
    const ours = math[name] as (...values: number[]) => number;
    const lines = golden[name]!;
    expect(lines.length).toBeGreaterThanOrEqual(GOLDEN_INPUTS);
    const answers = lines.map((line) => {
      const inputs = line.split(" ").slice(0, -1);
      return [...inputs, toHex(ours(...inputs.map(fromHex)))].join(" ");
    });
    expect(answers).toEqual(lines);
  });
});

type Random = () => number;
type Values = (...values: number[]) => number;

/** The first few inputs whose results differ, in a form that tells -0 from 0 and shows every bit. */
function differences(count: number, inputs: () => number[], ours: Values, native: Values): string[] {
  const found: string[] = [];
  for (let i = 0; i < count && found.length < 5; i++) {
    const values = inputs();
    const actual = ours(...values);
    const expected = native(...values);
    if (!Object.is(actual, expected)) found.push(`(${values.join(", ")}): ${toHex(actual)}, not ${toHex(expected)}`);
  }
  return found;
}

function goldenLines(name: Name | "hypot"): string[] {
  const random = mulberry32(SEED);
  const native = Math[name] as Values;
  return Array.from({ length: GOLDEN_INPUTS }, (_, index) => {
    const values = goldenInput(name, index, random);
    return [...values, native(...values)].map(toHex).join(" ");
  });
}

function goldenInput(name: Name | "hypot", index: number, random: Random): number[] {
  if (name === "atan2") return atan2Input(random);
  if (name === "pow") return powInput(random);
  if (name === "hypot") return hypotInput(random);
  return [[...SPECIAL, ...BORDERS, ...BORDERS.map((x) => -x)][index] ?? unaryInput(random)];
}

const SPECIAL = [0, -0, NaN, Infinity, -Infinity];

/** Where the functions change their formula, and the double closest to a multiple of pi/2. */
const BORDERS = [
  0.5, 1, 2, 22, 709.782712893384, 745.1332191019411, 710.4758600739439, 0.34657359, 1.0397207, 0.4375, 0.6875,

  1.1875, 2.4375, 0.975, 0.6744, 0.78125, 0.3, 38.8162, 0.41421356, 0.29289, 1.4142135623730951, 10, 100, 1000,

  0.7071067811865476, 2.718281828459045, 0.7853981633974483, 1.5707963267948966, 2.356194490192345, 823549.6,
  1.3877787807814457e-17, 2.7755575615628914e-17, 5.551115123125783e-17, 1.862645149230957e-9, 3.725290298461914e-9,
  7.450580596923828e-9, 268435456, 9007199254740992, 73786976294838206464, 5e-324, 2.2250738585072014e-308,
  1.7976931348623157e308, 5.319372648326541e255,
];

function unaryInput(random: Random): number {
  const sign = random() < 0.5 ? -1 : 1;
  switch (below(random, 10)) {
    case 0:
    case 1:
      return fromWords(random() * 2 ** 32, random() * 2 ** 32);
    case 2:
      return random() * 2 - 1;
    case 3:
      return (random() * 2 - 1) * 1500;
    case 4:
      return sign * withExponent(random, -40, 40);
    case 5:
      return nearby(random, (sign * below(random, 2 ** below(random, 31)) * Math.PI) / 2);
    case 6:
      return sign * withExponent(random, 0, 1023);
    case 7:
      return sign * fromWords(random() * 2 ** 20, random() * 2 ** 32);
    case 8:
      return nearby(random, sign * BORDERS[below(random, BORDERS.length)]!);
    default:
      return SPECIAL[below(random, 10)] ?? (below(random, 4000) - 2000) / 2 ** below(random, 4);
  }
}

function atan2Input(random: Random): number[] {
  const y = unaryInput(random);
  return [y, random() < 0.5 ? unaryInput(random) : y * (random() * 4 - 2)];
}

/** Aims at the borders of overflow and underflow, at bases close to 1 with huge exponents, and at integers. */
function powInput(random: Random): number[] {
  const x = unaryInput(random);
  const sign = random() < 0.5 ? -1 : 1;
  switch (below(random, 8)) {
    case 0:
      return [x, unaryInput(random)];
    case 1:
      return [x, nearby(random, (sign * 1024) / Math.log2(Math.abs(x)))];
    case 2:
      return [x, Math.trunc((-1075 / Math.log2(Math.abs(x))) * (1 - random() * 0.06))];
    case 3:
      return [nearby(random, sign) + (random() - 0.5) / 2 ** below(random, 52), sign * withExponent(random, 20, 66)];
    case 4:
      return [x, below(random, 64) - 32];
    case 5:
      return [below(random, 2000) - 1000, below(random, 200) - 100];
    case 6:
      return [random() * 20, (random() - 0.5) * 200];
    default:
      return [x, (below(random, 64) - 32) / 2];
  }
}

function hypotInput(random: Random): number[] {
  const wild = random() < 0.5;
  return Array.from({ length: below(random, 6) }, () => (wild ? unaryInput(random) : random() * 100));
}

function withExponent(random: Random, low: number, high: number): number {
  return (1 + random()) * 2 ** (low + below(random, high - low));
}

/** Up to four doubles away. */
function nearby(random: Random, x: number): number {
  bits[0] = BigInt.asUintN(64, BigInt.asUintN(64, fromDouble(x)) + BigInt(below(random, 9) - 4));
  return double[0]!;
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

function fromDouble(x: number): bigint {
  double[0] = x;
  return bits[0]!;
}

function fromWords(high: number, low: number): number {
  bits[0] = (BigInt(Math.floor(high)) << 32n) | BigInt(Math.floor(low));
  return double[0]!;
}

/** One spelling for every NaN. */
function toHex(x: number): string {
  return fromDouble(Number.isNaN(x) ? NaN : x)
    .toString(16)
    .padStart(16, "0");
}

function fromHex(text: string): number {
  bits[0] = BigInt(`0x${text}`);
  return double[0]!;
}
