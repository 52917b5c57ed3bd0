import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { openRest } from "../../apps/control-plane/test/support/test-rest.ts";
import { sums } from "../../apps/control-plane/test/workflows/basics.ts";

/** Debian's, which `npm run verify` installs. */
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

it("the page for people shows all operations, lets them be tried, and asks nobody but the control plane", async () => {
  const rest = await openRest();
  const own = `http://127.0.0.1:${rest.plane.httpPort}`;
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const requests: string[] = [];
    const mistakes: string[] = [];
    page.on("request", (request) => void requests.push(request.url()));
    page.on("console", (message) => message.type() === "error" && mistakes.push(message.text()));
    page.on("pageerror", (error) => void mistakes.push(String(error)));
    await page.goto(`${own}/docs`, { waitUntil: "networkidle" });
    const { paths } = (await (await fetch(`${own}/openapi.json`)).json()) as { paths: Record<string, object> };
    const count = Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    expect(await page.locator("details.operation").count()).toBe(count);

    await page.fill("#filter", "starts a run");
    const start = page.locator("#startRun");
    expect(await page.locator("details.operation:visible").count()).toBeLessThan(5);
    await start.locator("summary").click();
    await start.locator("textarea").fill(JSON.stringify({ type: sums.name, payload: { n: 3 } }));
    await start.locator("button").click();
    const answer = start.locator(".answer");
    await answer.filter({ hasText: "201" }).waitFor();
    const [, id] = /"id": "([^"]+)"/.exec((await answer.textContent()) ?? "")!;
    await page.fill("#filter", "");
    const result = page.locator("#getResult");
    await result.locator("summary").click();
    await result.locator('input[name="id"]').fill(id!);
    await result.locator('input[name="waitMs"]').fill("30000");
    await result.locator("button").click();
    await result.locator(".answer").filter({ hasText: '"result": 6' }).waitFor();

    const stream = page.locator("#followRun");
    await stream.locator("summary").click();
    await stream.locator('input[name="id"]').fill(id!);
    await stream.locator("button").click();
    await stream.locator(".answer").filter({ hasText: "event: end" }).waitFor();

    const shot = process.env["CAIRN_SCREENSHOT"];
    if (shot !== undefined) await page.screenshot({ path: shot });
    expect(requests.filter((url) => !url.startsWith(`${own}/`) && !url.startsWith("data:"))).toEqual([]);
    expect(requests.length).toBeGreaterThan(4);
    // A policy that forbids too much, or a script that fails, is said here.
    expect(mistakes).toEqual([]);
  } finally {
    await browser.close();
  }
});
