import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { declaredAction, refuseClash } from "./declared.ts";
import { action } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "cairn-declared-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => Object.assign(globalThis, { declare: action }));

/** Declares an action in a file of that name, loaded anew. */
async function declareIn(file: string, name: string, result: number): Promise<void> {
  const path = join(folder, file);
  writeFileSync(path, `declare(${JSON.stringify(name)}, async () => ${result});\n`);
  // By Node itself: the runner has a way of its own to name files that it has made.
  await import(/* @vite-ignore */ `${pathToFileURL(path).href}?t=${Math.random()}`);
}

describe("a name that was declared twice", () => {
  it("is refused if two files mean different things by it, when a run asks for it", async () => {
    await declareIn("a.mjs", "twice", 1);
    await declareIn("b.mjs", "twice", 2);
    expect(() => refuseClash("action", "twice")).toThrow(
      /^Two actions are called "twice": one in .*a\.mjs, another in .*b\.mjs\. .* Rename one\.$/,
    );
    expect(() => refuseClash("workflow", "twice")).not.toThrow();
  });

  it("is fine if a module was loaded again, changed perhaps, or is part of two bundles", async () => {
    await declareIn("c.mjs", "again", 1);
    await declareIn("c.mjs", "again", 2);
    await declareIn("d.mjs", "again", 2);
    expect(() => refuseClash("action", "again")).not.toThrow();
    expect(await declaredAction("again")?.handler()).toBe(2);
  });
});
