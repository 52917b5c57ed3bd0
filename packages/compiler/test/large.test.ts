import { expect, test } from "vitest";
import { compile } from "../src/index.ts";
import { body } from "./nested-sources.ts";

/** Something quadratic would take minutes here. */
test("a body of 100,000 lines compiles", { timeout: 120_000 }, () => {
  const lines = [
    "x = x + 1;",
    "b.push(a[3], `${x}`);",
    "if (a === 7) { x = 2; } else b.pop();",
    "for (let j = 0; j < 3; j++) x += j;",
    "{ const v = x; a = () => v + x; }",
    "x = await h(x);",
  ];
  const source = body(Array.from({ length: 100_000 }, (_, i) => lines[i % lines.length]).join("\n"));
  const { workflows, diagnostics } = compile("main.ts", { resolve: () => null, read: () => source });
  expect(diagnostics).toEqual([]);
  expect(workflows).toHaveLength(1);
});

test("100,000 mistakes are all reported", { timeout: 120_000 }, () => {
  const source = body(Array.from({ length: 100_000 }, (_, i) => `missing${i}();`).join("\n"));
  const { diagnostics } = compile("main.ts", { resolve: () => null, read: () => source });
  expect(diagnostics).toHaveLength(100_000);
  expect(diagnostics.at(-1)?.line).toBe(100_003);
});
