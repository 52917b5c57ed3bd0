import { readFileSync } from "node:fs";
import type { ScheduleSummary, WorkflowSummary } from "@cairnjs/schemas/rest";
import { createClient, StartsInterrupted } from "cairnjs/client";
import { expect, it, vi } from "vitest";
import { openRest } from "../support/test-rest.ts";
import { checkout } from "../workflows/client-page.ts";

/** Names that are others here than on the page. */
function asOnThePage(text: string): string {
  return text
    .replaceAll("shop.page.v1", "shop.checkout.v1")
    .replaceAll(/^ +/gm, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/, ([})\]])/g, " $1")
    .trim();
}

const page = readFileSync(new URL("../../../../docs/client.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text]) => asOnThePage(text!));

it("docs/client.md: its examples are those that run here", async () => {
  const rest = await openRest();
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  // The first one has an address.
  const client = createClient({ url: `http://127.0.0.1:${rest.plane.httpPort}`, key: process.env["CAIRN_KEY"] });
  const run = await client.start(checkout, { order: "A-17", cents: 4200 });
  console.log(await run.result());
  expect(log).toHaveBeenLastCalledWith("R-4200");

  const byType = await client.start<typeof checkout>("shop.page.v1", { order: "A-18", cents: 100 });
  const byHand = await client.start<{ order: string; cents: number }, string>("shop.page.v1", {
    order: "A-19",
    cents: 100,
  });
  const untyped = await client.start("shop.page.v1", { order: "A-20", cents: 100 }, { priority: 5, tags: ["blue"] });
  for (const each of [byType, byHand, untyped]) expect(await each.result()).toBe("R-100");

  const runs = await client.startMany(checkout, [
    { input: { order: "B-1", cents: 100 } },
    { input: { order: "B-2", cents: 200 }, idempotencyKey: "order B-2" },
  ]);
  const results = await Promise.all(runs.map((each) => each.result()));
  expect(results).toEqual(["R-100", "R-200"]);

  const starts = [{ input: { order: "B-3", cents: 100 } }];
  try {
    await client.startMany(checkout, starts);
  } catch (error) {
    if (!(error instanceof StartsInterrupted)) throw error;
    const left = starts.flatMap((start, index) => {
      const outcome = error.outcomes[index];
      if (outcome === undefined) return [start];
      return "inDoubt" in outcome ? [{ ...start, id: outcome.inDoubt }] : [];
    });
    await client.startMany(checkout, left);
  }

  for await (const { kind, data, at } of run.events()) {
    console.log(at.toISOString(), kind, data);
  }
  expect(log.mock.calls.map(([, kind]) => kind as unknown)).toEqual(
    expect.arrayContaining(["created", "step", "succeeded"]),
  );

  for await (const { id, status } of client.runs({ type: "shop.page.v1", status: ["failed", "succeeded"] })) {
    console.log(id, status);
  }
  const path = "/schedules/shop.page.v1/nightly";
  const body = { cron: "0 3 * * *", payload: { order: "nightly", cents: 100 } };
  const schedule = await client.request<ScheduleSummary>("PUT", path, { body });
  for await (const { name } of client.list<WorkflowSummary>("/workflows")) console.log(name, schedule.nextRunAt);
  expect(log).toHaveBeenCalledWith(run.id, "succeeded");
  expect(log).toHaveBeenCalledWith("shop.page.v1", expect.stringContaining("T03:00:00"));

  const [first, ...others] = blocks;
  const here = asOnThePage(readFileSync(new URL("page.test.ts", import.meta.url), "utf8"));
  expect(here).toContain(first!.slice(first!.indexOf(", key: ")));
  for (const block of others) expect(here).toContain(block);
  expect(blocks).toHaveLength(6);
});
