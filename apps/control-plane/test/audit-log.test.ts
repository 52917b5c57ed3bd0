import { expect, it } from "vitest";
import { AuditLog } from "../src/audit/audit-log.ts";
import { newRunId } from "../src/ids.ts";
import { storeBed } from "./support/test-store.ts";

it("who says again and again what was done keeps no refusal out of the log", async () => {
  const bed = await storeBed();
  const log = new AuditLog(bed.client, () => {});
  const entry = {
    namespace: "default",
    keyId: null,
    action: "run.signal",
    subject: null,
    runId: null,
    detail: "{}",
    via: "rest",
    address: "127.0.0.1",
  } as const;
  for (let run = 0; run < 20; run++) {
    const runId = newRunId(Date.now());
    const again = { ...entry, who: "a wait token", runId, status: 202 };
    await Promise.all(Array.from({ length: 70 }, () => log.write(again, true)));
  }
  await log.write({ ...entry, who: "a thief", status: 403 });
  const found = await bed.query<{ status: number; count: number }>(
    "SELECT status, count(*)::int AS count FROM cairn.audit_log GROUP BY status ORDER BY status",
  );
  expect(found).toEqual([
    { status: 202, count: 1_000 },
    { status: 403, count: 1 },
  ]);
});
