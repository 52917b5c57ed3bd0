import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { builtinsPage } from "./page.ts";

it("docs/built-ins.md is made from the list", () => {
  const page = readFileSync(new URL("../../../../docs/built-ins.md", import.meta.url), "utf8");
  expect(page, "run `npm run build && node packages/ir/scripts/generate-builtins-page.mjs`").toBe(builtinsPage());
});
