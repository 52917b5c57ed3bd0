import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import cairn from "cairnjs/plugin";
import { describe, expect, it } from "vitest";
import { here } from "./tools.ts";

const page = readFileSync(join(dirname(dirname(here)), "docs/setup.md"), "utf8");
const configured = (file: string): string => readFileSync(join(here, file), "utf8");

/** A line of a snippet of the page, without what is around it. */
function line(beginning: string, nth = 0): string {
  const found = page.split("\n").filter((text) => text.trim().startsWith(beginning))[nth];
  if (found === undefined) throw new Error(`The page has no line "${beginning}"`);
  return found.trim();
}

describe("docs/setup.md", () => {
  it("names plugins that exist", () => {
    const names = [...page.matchAll(/cairn\.(\w+)\(/g)].map(([, name]) => name ?? "");
    expect(new Set(names)).toEqual(new Set(["esbuild", "rolldown", "rollup", "rspack", "vite", "webpack"]));
    for (const name of names) expect(cairn).toHaveProperty(name);
  });

  it("configures Jest as the projects here do", () => {
    const modules = configured("jest-esm/jest.config.mjs");
    expect(modules).toContain(line("transform:", 0));
    expect(modules).toContain(line("extensionsToTreatAsEsm:"));
    const commonJs = configured("jest-cjs/jest.config.cjs");
    expect(commonJs).toContain(line("transform:", 1));
    expect(commonJs).toContain(line("transformIgnorePatterns:"));
  });
});
