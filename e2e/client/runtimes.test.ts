import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { openSuite, problemsIn, runBy } from "./open-suite.ts";
import type { Outcome } from "./suite.ts";

/** Where `npm run verify` has installed Bun and Deno. */
const programs = join(process.env["CAIRN_RUNTIMES"] ?? "", "node_modules/.bin");

it("the client does in Bun what it should", async () => {
  const { file } = await openSuite();
  expect(await runBy(join(programs, "bun"), [file])).toEqual([]);
});

it("the client does in Deno what it should", async () => {
  const { file } = await openSuite();
  expect(await runBy(join(programs, "deno"), ["run", "--allow-net", file])).toEqual([]);
});

it.each([
  ["a page", ""],
  ["a worker", "worker"],
])("the client does in %s of a browser what it should", async (_, path) => {
  const { url } = await openSuite();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(new URL(path, url).href);
  await page.waitForFunction(() => "outcomes" in globalThis);
  const outcomes = await page.evaluate(() => (globalThis as unknown as { outcomes: Promise<Outcome[]> }).outcomes);
  expect(problemsIn(outcomes)).toEqual([]);
});
