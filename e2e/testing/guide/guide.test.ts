import { readFileSync } from "node:fs";
import { testRun } from "cairnjs/testing";
import { expect, it } from "vitest";
import { order } from "./orders.ts";

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const guide = text("../../../docs/testing.md");

function blocks(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map((match) => match[1]!.trim());
}

/** Without indentation: what stands in a test in the file stands at the margin in the guide. */
function lines(code: string): string {
  return `\n${code.replaceAll(/^[ ]+/gm, "").trim()}\n`;
}

it("every example of docs/testing.md is run", () => {
  const run = [text("orders.ts"), text("orders.test.ts")].map(lines);
  const examples = blocks("ts");
  expect(examples.length).toBeGreaterThan(15);
  expect(examples.filter((block) => !run.some((file) => file.includes(lines(block))))).toEqual([]);
});

it("the story in docs/testing.md is the one that is told", async () => {
  const run = testRun(order, { input: { cents: 500, to: "ada" }, signals: { approved: [{ by: "ann" }] } });
  await run.result;
  expect(blocks("text")).toEqual([run.story()]);
});
