import { expect, it } from "vitest";
import { checkRetention } from "../../src/doctor/duty-checks.ts";
import { examineDatabase } from "../../src/doctor/examine.ts";
import { checkLive } from "../../src/doctor/live-checks.ts";
import { storeBed } from "../support/test-store.ts";

it("the doctor warns of a user who cannot drop what is over, since the tables are another's", async () => {
  const { client } = await storeBed();
  expect(await checkRetention(client)).toMatchObject({ state: "ok" });
  await client.query("SET ROLE pg_read_all_data");
  expect(await checkRetention(client)).toMatchObject({
    state: "warning",
    says: expect.stringMatching(/^pg_read_all_data does not own all tables of the schema cairn: /),
  });
});

it("the doctor names who holds up the events that others watch, for how long, and what to do", async () => {
  const bed = await storeBed();
  const [writer, reader] = [await bed.connect(), await bed.connect()];
  // Who only reads holds up nothing.
  await reader.query("BEGIN");
  await reader.query("SELECT FROM cairn.run_events");
  expect(await checkLive(bed.client, 0)).toMatchObject({ check: "live", state: "ok", details: [] });
  await writer.query("BEGIN");
  const { rows } = await writer.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await writer.query("DELETE FROM cairn.run_events");
  // A moment is nothing yet.
  expect(await checkLive(bed.client)).toMatchObject({ state: "ok" });
  const pid = String(rows[0]!.pid);
  expect(await checkLive(bed.client, 0)).toEqual({
    check: "live",
    state: "warning",
    says: "1 transaction with events open for more than 0 ms: whoever watches is told nothing that happened since",
    details: [
      expect.stringMatching(
        new RegExp(
          `^process ${pid} \\(.+\\), idle in transaction: \\d+ m?s; let it commit, or end it: SELECT pg_terminate_backend\\(${pid}\\)$`,
        ),
      ),
    ],
  });
  await writer.query("ROLLBACK");
  await writer.query("BEGIN");
  await writer.query("DELETE FROM cairn.audit_log");
  const { details } = await checkLive(bed.client, 0);
  expect(details).toEqual([expect.stringContaining("idle in transaction, of the audit log alone: ")]);
  await writer.query("COMMIT");
  expect(await checkLive(bed.client, 0)).toMatchObject({ state: "ok" });
  await reader.query("COMMIT");
  const findings = await examineDatabase(bed.url, () => 0);
  expect(findings.find(({ check }) => check === "live")).toMatchObject({ state: "ok" });
});
