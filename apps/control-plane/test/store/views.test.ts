import { describe, expect, it } from "vitest";
import { claimFromFront } from "../../src/store/claim-runs.ts";
import { commitTransitions } from "../../src/store/commit-transitions.ts";
import { releaseOwner } from "../../src/store/owners.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { newTransition } from "../../src/store/transition.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";
import { approved, retrying, sums, undone } from "../workflows/basics.ts";

async function columnsOf(bed: StoreBed, view: string): Promise<string[]> {
  const rows = await bed.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'cairn' AND table_name = $1",
    view,
  );
  return rows.map(({ name }) => name);
}

async function eventsOf(bed: StoreBed, id: string): Promise<string[]> {
  const rows = await bed.query<{ type: string }>(
    "SELECT event_type AS type FROM cairn.workflow_event WHERE workflow_id = $1 ORDER BY id",
    id,
  );
  return rows.map(({ type }) => type);
}

describe("the views", () => {
  it("have the columns that their users know", async () => {
    const bed = await storeBed();
    expect(await columnsOf(bed, "workflow_run")).toEqual(
      expect.arrayContaining(
        `id type status priority idempotency_key payload result error last_error attempt max_attempts run_at lease_until
        leased_by created_at updated_at deleted_at delete_reason`.split(/\s+/),
      ),
    );
    expect(await columnsOf(bed, "workflow_event")).toEqual("id workflow_id event_type data created_at".split(" "));
    expect(await columnsOf(bed, "outbox_event")).toEqual(
      expect.arrayContaining("id aggregate_id event_type payload published_at".split(" ")),
    );
  });

  it("show a run pending, leased with its owner and the end of the lease, pending again, and ended", async () => {
    const bed = await storeBed();
    const run = await bed.newRun({ idempotencyKey: "k", maxAttempts: 3 });
    await startRuns(bed.client, null, [run]);
    const look = async (): Promise<Record<string, unknown>> =>
      (await bed.query("SELECT * FROM cairn.workflow_run"))[0]!;
    const unowned = { lease_until: null, leased_by: null };
    expect(await look()).toMatchObject({
      id: run.id,
      status: "pending",
      attempt: 1,
      max_attempts: 3,
      idempotency_key: "k",
      ...unowned,
    });
    const one = await bed.owner();
    await claimFromFront(one.client, one.id, "default:*", 1);
    const [owner] = await bed.query("SELECT expires_at FROM cairn.owners");
    expect(await look()).toMatchObject({
      status: "leased",
      leased_by: "test",
      lease_until: owner!["expires_at"],
      phase: "running",
    });
    await releaseOwner(one.client, one.id);
    expect(await look()).toMatchObject({ status: "pending", phase: "ready", ...unowned });
    const two = await bed.owner();
    await claimFromFront(two.client, two.id, "default:*", 1);
    const parking = newTransition(run.id);
    const wakeAt = Date.parse("2040-01-01T00:00:00Z");
    parking.parked.push({
      runId: run.id,
      wakeAt,
      pastDeadline: false,
      callsOut: false,
      phase: "sleeping",
      waitingFor: "x",
      attempt: 2,
      lastError: "Error: no",
    });
    await commitTransitions(two.client, two.id, [parking]);
    expect(await look()).toMatchObject({
      status: "pending",
      phase: "sleeping",
      waiting_for: "x",
      attempt: 2,
      last_error: "Error: no",
      run_at: new Date(wakeAt),
      ...unowned,
    });
    await bed.query("UPDATE cairn.queue SET state = 'ready', wake_at = NULL");
    await claimFromFront(two.client, two.id, "default:*", 1);
    const ending = newTransition(run.id);
    const endedAt = Date.parse("2040-01-01T00:00:05Z");
    ending.ended.push({
      deleteReason: null,
      afterInput: 0,
      runId: run.id,
      status: "succeeded",
      result: '{"sum":7}',
      error: null,
      trace: null,
      lastError: null,
      attempt: 2,
      startedAt: wakeAt,
      endedAt,
    });
    await commitTransitions(two.client, two.id, [ending]);
    expect(await look()).toMatchObject({
      status: "succeeded",
      result: { sum: 7 },
      attempt: 2,
      phase: null,
      ended_at: new Date(endedAt),
      updated_at: new Date(endedAt),
      ...unowned,
    });
  });

  it("show five statuses and no other, also of runs that were soft-deleted, whose status stays", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const statuses = async (id: string): Promise<unknown> =>
      (
        await bed.query(
          "SELECT status, deleted_at IS NOT NULL AS deleted, delete_reason FROM cairn.workflow_run WHERE id = $1",
          id,
        )
      )[0];
    const succeeded = await cairn.start(sums, { n: 2 });
    await succeeded.result();
    const failed = await cairn.start(undone, "views");
    await expect(failed.result()).rejects.toThrow("failed");
    const cancelled = await cairn.start(approved);
    await cancelled.cancel();
    await expect(cancelled.result()).rejects.toThrow("cancelled");
    for (const [run, status] of [
      [succeeded, "succeeded"],
      [failed, "failed"],
      [cancelled, "cancelled"],
    ] as const) {
      expect(await statuses(run.id)).toMatchObject({ status, deleted: false });
      await run.delete("done with it");
      expect(await statuses(run.id)).toEqual({ status, deleted: true, delete_reason: "done with it" });
    }
  });

  it("show the events of a run in their order: created, started, retried, succeeded, failed, cancelled", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const succeeded = await cairn.start(sums, { n: 1 });
    await succeeded.result();
    expect(await eventsOf(bed, succeeded.id)).toEqual(["created", "started", "succeeded"]);
    const cancelled = await cairn.start(approved);
    await cancelled.cancel();
    await expect(cancelled.result()).rejects.toThrow("cancelled");
    expect((await eventsOf(bed, cancelled.id)).at(-1)).toBe("cancelled");
    const failed = await cairn.start(undone, "views-retried", { maxAttempts: 2 });
    await until(async () => (await eventsOf(bed, failed.id)).includes("retried"));
    await bed.advance(10_000);
    await expect(failed.result()).rejects.toThrow("failed");
    const kinds = (await eventsOf(bed, failed.id)).filter(
      (kind) => !kind.startsWith("compensation") && kind !== "leased",
    );
    expect(kinds).toEqual(["created", "started", "retried", "started", "failed"]);
    expect(await (await cairn.start(retrying, { key: "views", failures: 0 })).result()).toBe(1);
  });

  it("let a dispatcher read the outbox with locks and mark what it has published", async () => {
    const bed = await storeBed();
    const cairn = await bed.open({ outbox: { dispatch: false } });
    const failed = await cairn.start(undone, "views-outbox");
    await expect(failed.result()).rejects.toThrow("failed");
    await bed.sql.query("BEGIN");
    const poll =
      "SELECT * FROM cairn.outbox_event WHERE published_at IS NULL ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED";
    const events = await bed.query(poll);
    expect(events).toMatchObject([
      {
        aggregate_id: failed.id,
        event_type: "cairn.run.failed.v1",
        payload: { type: "test.undone.v1", attempt: 1, lastError: "TypeError: views-outbox failed" },
        published_at: null,
      },
    ]);
    expect((await bed.client.query(poll)).rows).toEqual([]);
    await bed.query("UPDATE cairn.outbox_event SET published_at = cairn.now() WHERE id = $1", events[0]!["id"]);
    await bed.sql.query("COMMIT");
    expect(await bed.query(poll)).toEqual([]);
  });
});
