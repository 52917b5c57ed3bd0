import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { decodeNative, encodeNative, MalformedValue } from "./index.ts";
import type { Codec } from "./index.ts";
import { differenceBetween } from "./testing/isomorphic.ts";

// Runs the examples of values.md.

const page = readFileSync(new URL("../../values.md", import.meta.url), "utf8");

class Decimal {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

const decimal: Codec = {
  name: "decimal.js",
  matches: (value) => value instanceof Decimal,
  encode: (value) => (value as Decimal).digits,
  decode: (payload) => new Decimal(payload as string),
};
const options = { codecs: [decimal] };

const examples = linesOf("js").map((line) => line.split(" ⟶ ") as [expression: string, text: string]);
const readOnly = linesOf("json");
const malformed = linesOf("malformed");

describe("values.md", () => {
  it("has examples of everything", () => {
    expect(examples.length).toBeGreaterThan(40);
    expect(malformed.length).toBeGreaterThan(20);
    const tags = [...page.matchAll(/\$[a-z]+/g)].map(([tag]) => tag);
    const shown = tags.filter((tag) => examples.some(([, text]) => text.includes(`{"${tag}"`)));
    expect(new Set(tags)).toEqual(new Set([...shown, ...NO_TAGS]));
  });

  it.each(examples)("%s ⟶ %s", (expression, text) => {
    const value = evaluate(expression);
    expect(encodeNative(value, options)).toBe(text);
    const back = decodeNative(text, options);
    expect(encodeNative(back, options)).toBe(text);
    if (!text.includes('"$error"')) expect(differenceBetween(value, back)).toBeUndefined();
  });

  it.each(readOnly)("reads %s, though no encoder writes it", (text) => {
    const canonical = encodeNative(decodeNative(text, options), options);
    expect(canonical).not.toBe(text);
    expect(encodeNative(decodeNative(canonical, options), options)).toBe(canonical);
  });

  it.each(malformed)("refuses %s", (text) => {
    expect(() => decodeNative(text, options)).toThrow(MalformedValue);
  });
});

/** Names in the page that begin with a dollar and are no tags. */
const NO_TAGS = ["$unknown", "$blob"];

function linesOf(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].flatMap(([, block]) => block!.split("\n").filter((line) => line !== ""));
}

function evaluate(expression: string): unknown {
  const run = runInThisContext(`"use strict"; (Decimal) => (${expression})`) as (d: typeof Decimal) => unknown;
  return run(Decimal);
}
