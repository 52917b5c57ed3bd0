import { readFileSync } from "node:fs";
import { testRun } from "cairnjs/testing";
import { expect, it } from "vitest";
import { testBed } from "../support/test-engine.ts";
import { poem } from "../workflows/streaming-page.ts";

const page = readFileSync(new URL("../../../../docs/streaming.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text]) => without(text!));

function without(text: string): string {
  return text.replaceAll(/^ +/gm, "").trim();
}

it("docs/streaming.md: its modules are those that run here", async () => {
  const bed = await testBed();
  const cairn = await bed.open();
  // From the page:
  const run = await cairn.start(poem, ["to", "be", "or", "not"]);
  const seen: unknown[] = [];
  for await (const { value } of run.stream()) seen.push(value);
  expect(seen).toEqual([{ word: "to" }, { word: "be" }, { word: "or" }, { word: "not" }]);
  const sources = ["../workflows/streaming-page.ts", "streaming-page.test.ts"].map((file) =>
    without(readFileSync(new URL(file, import.meta.url), "utf8")),
  );
  expect(sources[0]).toBe(blocks[0]);
  expect(sources[1]).toContain(blocks[1]);
  expect(blocks).toHaveLength(2);
  const tested = testRun(poem, { input: ["or"] });
  await tested.result;
  expect(tested.step("poems.write").attempts[0]!.chunks).toEqual([{ word: "or" }]);
});
