import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { PUBLIC_SURFACE } from "./public-surface.ts";

const folder = new URL("../", import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, folder), "utf8");
const { exports } = JSON.parse(text("package.json")) as { exports: Record<string, { "cairn-source": string }> };

/** What a module exports, in order: `name`, or `type Name`. */
function surfaceOf(path: string): string[] {
  const { module } = parseSync(path, text(path));
  const names = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, isType }) => `${isType ? "type " : ""}${exportName.name ?? "default"}`),
  );
  return names.toSorted((a, b) => (a < b ? -1 : 1));
}

it("every subpath exports what is listed: whoever adds or removes a name changes what others build on", () => {
  const surfaces = Object.entries(exports).map(([subpath, target]) => [subpath, surfaceOf(target["cairn-source"])]);
  expect(Object.fromEntries(surfaces)).toEqual(PUBLIC_SURFACE);
});
