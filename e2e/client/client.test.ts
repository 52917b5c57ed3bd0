import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundle, openSuite, runBy } from "./open-suite.ts";

const GZIPPED_BYTES_MAX = 21_500;

describe("the client", () => {
  it("is small, and has nothing of Node.js in it", async () => {
    const { text, imports } = await bundle(`export * from "cairnjs/client";`);
    const known = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);
    expect(imports.filter((path) => known.has(path))).toEqual([]);
    expect(/\bBuffer\.|\bprocess\.|\brequire\(/.exec(text)).toBeNull();
    expect(gzipSync(text).length).toBeLessThan(GZIPPED_BYTES_MAX);
  });

  it("does in Node.js what it should", async () => {
    const { file } = await openSuite();
    expect(await runBy(process.execPath, [file])).toEqual([]);
  });
});
