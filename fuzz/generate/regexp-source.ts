import type { Random } from "../run/random.ts";

/** A random regular expression over a small alphabet, so that it often matches. */
export function randomRegExp(random: Random): { readonly source: string; readonly flags: string } {
  const flags = randomFlags(random);
  const writer = new PatternWriter(random, flags);
  return { source: writer.disjunction(3), flags };
}

/** A text that such expressions are tried on. */
export function randomSubject(random: Random): string {
  const alphabet = random.pick(["ab", "abc", "aAbB", "ab1 \n", "a😀b", "äÄaſsKk"]);
  const symbols = [...alphabet];
  return Array.from({ length: random.below(14) }, () => random.pick(symbols)).join("");
}

function randomFlags(random: Random): string {
  const unicode = random.chance(0.3) ? random.pick(["u", "v"]) : "";
  return ["d", "g", "i", "m", "s", "y"].filter(() => random.chance(0.2)).join("") + unicode;
}

class PatternWriter {
  readonly #random: Random;
  readonly #unicode: boolean;
  readonly #sets: boolean;
  #groups = 0;
  readonly #names: string[] = [];

  constructor(random: Random, flags: string) {
    this.#random = random;
    this.#unicode = /[uv]/.test(flags);
    this.#sets = flags.includes("v");
  }

  disjunction(depth: number): string {
    const count = this.#random.chance(0.3) ? 2 + this.#random.below(2) : 1;
    return Array.from({ length: count }, () => this.#alternative(depth)).join("|");
  }

  #alternative(depth: number): string {
    return Array.from({ length: this.#random.below(4) }, () => this.#term(depth)).join("");
  }

  #term(depth: number): string {
    const random = this.#random;
    if (random.chance(0.1)) return random.pick(["^", "$", "\\b", "\\B"]);
    if (depth > 0 && random.chance(0.1))
      return `${random.pick(["(?=", "(?!", "(?<=", "(?<!"])}${this.disjunction(depth - 1)})`;
    return `${this.#atom(depth)}${this.#quantifier()}`;
  }

  #quantifier(): string {
    const random = this.#random;
    if (random.chance(0.6)) return "";
    const lazy = random.chance(0.3) ? "?" : "";
    return `${random.pick(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{0}"])}${lazy}`;
  }

  #atom(depth: number): string {
    const random = this.#random;
    if (depth > 0 && random.chance(0.35)) return this.#group(depth);
    if (this.#groups > 0 && random.chance(0.12)) return this.#backReference();
    if (random.chance(0.25)) return this.#class();
    return random.pick([
      "a",
      "b",
      "c",
      "A",
      "1",
      ".",
      "\\d",
      "\\w",
      "\\s",
      "\\W",
      "\\n",
      "\\x61",
      "\\u0062",
      "ä",
      "s",
      "k",
      this.#unicode ? "\\u{1F600}" : "\\cA",
      this.#unicode ? "\\p{L}" : "\\0",
      this.#unicode ? "😀" : "\\-",
    ]);
  }

  #group(depth: number): string {
    const random = this.#random;
    const kind = random.below(3);
    if (kind === 0) return `(?:${this.disjunction(depth - 1)})`;
    this.#groups++;
    if (kind === 1) return `(${this.disjunction(depth - 1)})`;
    const name = `n${this.#names.length}`;
    this.#names.push(name);
    return `(?<${name}>${this.disjunction(depth - 1)})`;
  }

  #backReference(): string {
    if (this.#names.length > 0 && this.#random.chance(0.4)) return `\\k<${this.#random.pick(this.#names)}>`;
    return `\\${1 + this.#random.below(this.#groups)}`;
  }

  #class(): string {
    const random = this.#random;
    const members = Array.from({ length: 1 + random.below(3) }, () =>
      random.pick([
        "a",
        "b",
        "a-c",
        "A-C",
        "\\d",
        "\\w",
        "\\s",
        "ä",
        "1-3",
        "\\n",
        "_",
        this.#unicode ? "\\p{Lu}" : "\\b",
      ]),
    );
    if (this.#sets && random.chance(0.4))
      return `[${random.pick(["[a-c]--[b]", "\\w&&[a-d]", "[ab][bc]", "\\q{ab|c}", "[^a]&&\\p{L}"])}]`;
    return `[${random.chance(0.25) ? "^" : ""}${members.join("")}]`;
  }
}
