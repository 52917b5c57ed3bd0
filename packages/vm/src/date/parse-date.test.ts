import { beforeAll, describe, expect, test } from "vitest";
import { parseDate } from "./index.ts";

/** Node 20 defines the results: only there is the native parser asked. The table holds on every version. */
const isReferenceNode = process.versions.node.startsWith("20.");
const SEED = 20_240_305;
const TEXTS = 250_000;

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

/** What Node 20 answers, as an ISO text, or "invalid". */
const EXAMPLES: readonly (readonly [text: string, expected: string])[] = [
  ["2024-03-05", "2024-03-05T00:00:00.000Z"],
  ["2024-03", "2024-03-01T00:00:00.000Z"],
  ["2024", "2024-01-01T00:00:00.000Z"],
  ["2024-03-05T10:20", "2024-03-05T10:20:00.000Z"],
  ["2024-03-05T10:20:30.5", "2024-03-05T10:20:30.500Z"],
  ["2024-03-05T10:20:30.123456Z", "2024-03-05T10:20:30.123Z"],
  ["2024-03-05T10:20:30.00982475465Z", "2024-03-05T10:20:30.982Z"],
  ["2024-03-05T10:20:30+02:30", "2024-03-05T07:50:30.000Z"],
  ["2024-03-05T10:20:30-0230", "2024-03-05T12:50:30.000Z"],
  ["2024-03-05T24:00:00.000", "2024-03-06T00:00:00.000Z"],
  ["2024-03-05T24:00:01", "invalid"],
  ["2024-03-05T10", "invalid"],
  ["2024-03-05T10:20 ", "invalid"],
  ["2024-03-05t10:20z", "2024-03-05T10:20:00.000Z"],
  ["2024-02-31", "2024-03-02T00:00:00.000Z"],
  ["2024-02-32", "invalid"],
  ["+012024-03-05", "+012024-03-05T00:00:00.000Z"],
  ["-000001-01-01T00:00Z", "-000001-01-01T00:00:00.000Z"],
  ["-000000-01-01", "2001-01-01T00:00:00.000Z"],
  ["+275760-09-13T00:00:00.000Z", "+275760-09-13T00:00:00.000Z"],
  ["+275760-09-13T00:00:00.001Z", "invalid"],
  ["2024-03-05 10:20", "2024-03-05T10:20:00.000Z"],
  ["2024-03-05 10:20 PM EST", "2024-03-06T03:20:00.000Z"],
  ["2024-3-5", "2024-03-05T00:00:00.000Z"],
  ["2024/01/05", "2024-01-05T00:00:00.000Z"],
  ["1/5/49", "2049-01-05T00:00:00.000Z"],
  ["1/5/50", "1950-01-05T00:00:00.000Z"],
  ["Jan 5, 2024 10:00 PM", "2024-01-05T22:00:00.000Z"],
  ["Jan 5", "2001-01-05T00:00:00.000Z"],
  ["Januarius 5 2024 12:00 am", "2024-01-05T00:00:00.000Z"],
  ["Jan 5 2024 13:00 PM", "invalid"],
  ["Tue, 05 Mar 2024 10:00:00 GMT+0200", "2024-03-05T08:00:00.000Z"],
  ["Tue Mar 05 2024 10:00:00 GMT-8 (a (nested) comment)", "2024-03-05T18:00:00.000Z"],
  ["5 Mar 2024 10:00 +05:30", "2024-03-05T04:30:00.000Z"],
  ["5-Mar-2024 10::30", "2024-03-05T10:00:30.000Z"],
  ["5-Mar-2024 10::", "2024-03-05T10:00:00.000Z"],
  ["3/5/2024, 10:00:00\u202fPM", "2024-03-05T22:00:00.000Z"],
  ["2024\0 anything", "2024-01-01T00:00:00.000Z"],
  ["foo 2024", "2024-01-01T00:00:00.000Z"],
  ["foo2024", "invalid"],
  ["2024 foo", "invalid"],
  ["2024)", "invalid"],
  ["", "invalid"],
  ["1/5/2024 10:00 +1193046:", "invalid"],
];

test.each(EXAMPLES)("%j is %s", (text, expected) => {
  const time = parseDate(text);
  expect(Number.isNaN(time) ? "invalid" : new Date(time).toISOString()).toBe(expected);
});

describe.runIf(isReferenceNode)("against the native parser", () => {
  test("the table is what it answers", () => {
    for (const [text, expected] of EXAMPLES) {
      const time = Date.parse(text);
      expect([text, Number.isNaN(time) ? "invalid" : new Date(time).toISOString()]).toEqual([text, expected]);
    }
  });

  test(`generated and mutated texts mean the same, seed ${SEED}`, () => {
    const source = new TextSource(SEED);
    const found: string[] = [];
    let valid = 0;
    for (let i = 0; i < TEXTS && found.length < 5; i++) {
      const text = source.text();
      const expected = Date.parse(text);
      const actual = parseDate(text);
      if (!Number.isNaN(expected)) valid++;
      if (!Object.is(actual, expected)) found.push(`${JSON.stringify(text)}: ${actual}, not ${expected}`);
    }
    expect(found).toEqual([]);
    // A generator that only makes garbage would prove nothing.
    expect(valid).toBeGreaterThan(TEXTS / 5);
  });
});

const MONTHS = "Jan Feb March apr MAY June jul August Sept Oct novem dec Janx".split(" ");
const ZONES = "UT UTC GMT Z z EST EDT CST CDT MST MDT PST PDT est BST CET T t Zulu".split(" ");
const GAPS = [
  " ",
  " ",
  " ",
  "",
  "  ",
  "\t",
  ", ",
  ",",
  "/",
  "-",
  ".",
  "\n",
  "\r",
  "\u00a0",
  "\u202f",
  "\u2028",
  "\u2029",
  "\u3000",
  "\ufeff",
  "\u0085",
  "\u180e",
  "\u1680",
];
const CHARACTERS = "0123456789:-+./(),TZtz apmAPM\0\t\n\u00a0\u202fé[_`{~!@\"'JanFebUTCGMT".split("");

/** Texts in the ISO format, in the legacy ones, what Date itself writes, mutations of all these, and token soup. */
class TextSource {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  text(): string {
    const choice = this.#below(8);
    if (choice < 2) return this.#iso();
    if (choice < 4) return this.#legacy();
    if (choice === 4) return this.#mutated(this.#iso());
    if (choice === 5) return this.#mutated(this.#legacy());
    if (choice === 6) return this.#soup();
    return this.#below(2) === 0 ? this.#written() : this.#mutated(this.#written());
  }

  #iso(): string {
    let text = this.#pick([this.#padded(10_000, 4), this.#padded(10_000, 4), this.#expandedYear()]);
    if (this.#below(10) > 0) text += `-${this.#padded(14, 2)}`;
    if (this.#below(10) > 0) text += `-${this.#padded(33, 2)}`;
    if (this.#below(4) === 0) return text;
    text += `${this.#pick(["T", "T", "T", "t", " "])}${this.#below(6) === 0 ? "24:00" : this.#padded(26, 2)}`;
    if (this.#below(4) > 0) text += `:${this.#sixtieth()}`;
    if (this.#below(3) > 0) text += `:${this.#sixtieth()}`;
    if (this.#below(3) > 0) text += `.${this.#padded(this.#pick([1, 10, 1000, 1e6, 1e9]), 1 + this.#below(12))}`;
    return this.#below(3) === 0 ? text : text + this.#pick(["Z", "z", this.#offset(), this.#pick(ZONES)]);
  }

  #expandedYear(): string {
    return `${this.#sign()}${this.#pick([this.#padded(280_000, 6), "000000", "271821", "275760"])}`;
  }

  #legacy(): string {
    const month = this.#pick(MONTHS);
    const [a, b, c] = [this.#number(), this.#number(), this.#number()];
    const [gap, gap2] = [this.#pick(GAPS), this.#pick(GAPS)];
    const day = [
      `${month}${gap}${a}${gap2}${b}`,
      `${a}${gap}${month}${gap2}${b}`,
      `${a}/${b}/${c}`,
      `${a}-${b}-${c}`,
      `${a}/${b}`,
      `${month}${a}`,
      `${a}${gap}${b}${gap2}${c}`,
      `${a}-${month}-${b}`,
      `${a}.${b}.${c}`,
    ];
    const parts = [this.#pick(day)];
    if (this.#below(6) === 0) parts.unshift(this.#pick(["Mon,", "Tuesday", "foo.", "x1", "(c)"]));
    if (this.#below(3) > 0) parts.push(this.#clock());
    if (this.#below(2) > 0) parts.push(this.#zone());
    if (this.#below(5) === 0) parts.push(this.#pick([this.#zone(), this.#clock(), this.#number(), month, "(x)"]));
    if (this.#below(8) === 0) parts.reverse();
    return parts.join(this.#below(5) > 0 ? " " : gap);
  }

  #clock(): string {
    let text = `${this.#below(26)}:${this.#sixtieth()}`;
    if (this.#below(2) === 0) text += `:${this.#sixtieth()}`;
    if (this.#below(4) === 0) text += `.${this.#number()}`;
    if (this.#below(6) === 0) text = `${this.#below(25)}::${this.#sixtieth()}`;
    if (this.#below(3) > 0) return text;
    return text + this.#pick(["", " ", "\u202f"]) + this.#pick(["AM", "PM", "am", "pm", "A.M.", "p"]);
  }

  #zone(): string {
    const zone = this.#pick(ZONES);
    const signed = `${this.#sign()}${this.#number()}`;
    const comment = this.#pick(["(UTC)", "(a(b)c)", "(()", "(x)"]);
    return this.#pick(
      [zone, this.#offset(), `GMT${this.#offset()}`, signed, `${signed}:${this.#number()}`].concat(comment),
    );
  }

  #offset(): string {
    const hours = `${this.#sign()}${this.#padded(25, 2)}`;
    return this.#pick([`${hours}:${this.#sixtieth()}`, `${hours}${this.#sixtieth()}`, hours, `${this.#sign()}8`]);
  }

  #written(): string {
    const time = (this.#random() * 2 - 1) * this.#pick([8.64e15, 8.64e15, 4e12, 6e13]);
    const date = new Date(time);
    return this.#pick([date.toString(), date.toUTCString(), date.toISOString(), date.toDateString()]);
  }

  #soup(): string {
    let text = "";
    for (let i = this.#below(12); i >= 0; i--) {
      const words = [this.#pick(MONTHS), this.#pick(ZONES), "am", "PM"];
      const others = [this.#number(), this.#number(), this.#pick(":-+./(),".split("")), this.#pick(GAPS)];
      text += this.#pick([...words, ...others, this.#pick(CHARACTERS)]);
    }
    return text;
  }

  #mutated(text: string): string {
    let mutated = text;
    for (let i = this.#below(3); i >= 0; i--) {
      const at = this.#below(mutated.length + 1);
      const [before, after] = [mutated.slice(0, at), mutated.slice(at)];
      const character = this.#pick(CHARACTERS);
      mutated = this.#pick([
        before + after.slice(1),
        before + character + after,
        before + character + after.slice(1),
        before + after.slice(0, 3) + after,
        before + after.slice(1 + this.#below(4)),
      ]);
    }
    return mutated;
  }

  #number(): string {
    const random = this.#state >>> 0;
    return this.#pick([
      String(random % 10),
      String(random % 32),
      String(random % 60),
      this.#padded(32, 2),
      this.#padded(100, 2),

      String(1900 + (random % 200)),
      this.#padded(10_000, 4),
      String(random % 1e6),
      this.#padded(300_000, 6),
      String(random),
      `${random}${random}`,
      `${"0".repeat(random % 5)}${random % 100}`,
    ]);
  }

  #sixtieth(): string {
    return this.#padded(62, 2);
  }

  #sign(): string {
    return this.#pick(["+", "-"]);
  }

  #padded(limit: number, width: number): string {
    return String(this.#below(limit)).padStart(width, "0");
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)]!;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
