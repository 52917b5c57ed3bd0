import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { registerVersion } from "../../src/store/register-version.ts";
import { NOOP, storeBed } from "../support/test-store.ts";

const page = readFileSync(new URL("../../../../docs/sql.md", import.meta.url), "utf8");

it("every statement of docs/sql.md works, in the order of the page", async () => {
  const bed = await storeBed();
  await registerVersion(bed.client, { ...NOOP, name: "orders.ship.v1" });
  await bed.query("CREATE TABLE public.orders (id bigint, total int)");
  const blocks = [...page.matchAll(/^```sql\n([^]*?)^```/gm)].map(([, text]) => text!);
  expect(blocks.length).toBeGreaterThan(4);
  for (const block of blocks) await bed.sql.query(block);
  const runs = await bed.query(
    "SELECT idempotency_key AS key, status, delete_reason FROM cairn.workflow_run ORDER BY 1 LIMIT 2",
  );
  expect(runs).toEqual([
    { key: "ship-4711", status: "pending", delete_reason: null },
    { key: "ship-4712", status: "cancelled", delete_reason: "a test" },
  ]);
  expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(102);
  expect(await bed.query("SELECT kind, name, value FROM cairn.mailbox")).toEqual([
    { kind: "signal", name: "approved", value: { by: "Ada" } },
  ]);
});

it("docs/sql.md names every column of the views and every option", async () => {
  const bed = await storeBed();
  const columns = await bed.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'cairn' AND table_name IN ('workflow_run', 'workflow_event', 'outbox_event')`,
  );
  const [refusal] = await bed
    .query("SELECT cairn.start_run('x', '1', '{\"none\":1}')")
    .then(() => [""])
    .catch((error: unknown) => [String(error)]);
  const options = /There are (.*)$/.exec(refusal!)![1]!.split(", ");
  for (const name of [...columns.map((column) => column.name), ...options]) expect(page).toContain(`\`${name}\``);
});
