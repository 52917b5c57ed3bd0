import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { checkRetention } from "../../src/doctor/duty-checks.ts";
import { examineDatabase } from "../../src/doctor/examine.ts";
import { checkLive } from "../../src/doctor/live-checks.ts";
import { checkMasterKey } from "../../src/doctor/master-key-check.ts";
import { masterKeysOf } from "../../src/secrets/master-keys.ts";
import { SecretStore } from "../../src/secrets/secret-store.ts";
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
  const findings = await examineDatabase(bed.url, () => 0, {});
  expect(findings.find(({ check }) => check === "live")).toMatchObject({ state: "ok" });
});

it("the doctor compares the master key that it is given with that of the secrets", async () => {
  const { client } = await storeBed();
  const [right, wrong] = [randomBytes(32), randomBytes(32)].map((bytes) => ({
    CAIRN_MASTER_KEY: bytes.toString("base64"),
  }));
  expect(await checkMasterKey(client, right!)).toMatchObject({ state: "ok", says: "Nothing is encrypted" });
  const masters = masterKeysOf({}, right)!;
  await new SecretStore(client, masters, () => 0).set("default", "x", "1", "");
  const says = `Secrets are encrypted under ${masters[0].id}`;
  expect(await checkMasterKey(client, right!)).toMatchObject({ state: "ok", says });
  expect(await checkMasterKey(client, {})).toMatchObject({ state: "ok", says: expect.stringContaining("to compare") });
  expect(await checkMasterKey(client, wrong!)).toMatchObject({
    state: "problem",
    says: expect.stringMatching(new RegExp(`is [0-9a-f]{16} here, and .* under ${masters[0].id}$`)),
  });
  expect(await checkMasterKey(client, { CAIRN_MASTER_KEY: "short" })).toMatchObject({ state: "warning" });
});
