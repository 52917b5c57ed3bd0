import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { decodeNative, encodeNative } from "@cairnjs/ir";
import { describe, expect, it } from "vitest";
import { compileOne, validatorOf } from "./schema-of.ts";

// Runs the examples of docs/inputs.md.

const page = readFileSync(new URL("../../../../docs/inputs.md", import.meta.url), "utf8");
const [order, repeat] = blocksOf("ts").map((module) => compileOne(module).inputSchema);

describe("docs/inputs.md", () => {
  it.each(linesOf("json accepted"))("accepts %s", (text) => {
    expect(validatorOf(order ?? false).acceptsEncoded(JSON.parse(text))).toBe(true);
    expect(encodeNative(decodeNative(text))).toBe(text);
  });

  it.each(linesOf("json refused"))("refuses %s", (text) => {
    expect(validatorOf(order ?? false).acceptsEncoded(JSON.parse(text))).toBe(false);
  });

  it("shows the schema that is derived", () => {
    expect(blocksOf("json schema").map((text) => JSON.parse(text) as unknown)).toEqual([repeat]);
  });

  it.each(linesOf("js").map((line) => line.split(" ⟶ ")))("%s ⟶ %s", (call, text) => {
    const args: unknown = runInThisContext(`((...args) => args)${(call ?? "").replace(/^charge/, "")}`);
    expect(JSON.stringify(JSON.parse(encodeNative(Array.from(args as unknown[]))))).toBe(text);
  });
});

function blocksOf(info: string): string[] {
  return [...page.matchAll(/^```(.*)\n([^]*?)^```$/gm)]
    .filter(([, head]) => head === info)
    .map(([, , text]) => text ?? "");
}

function linesOf(info: string): string[] {
  return blocksOf(info).flatMap((block) => block.trimEnd().split("\n"));
}
