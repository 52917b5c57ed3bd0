import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { claimFromFront } from "../../src/store/claim-runs.ts";
import { commitTransitions } from "../../src/store/commit-transitions.ts";
import { OwnershipLost } from "../../src/store/fence.ts";
import { giveBackRuns, keepOwners, lookAtOwner, releaseOwner, releaseRun, takeOver } from "../../src/store/owners.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { newTransition, type Transition } from "../../src/store/transition.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed, type TestOwner } from "../support/test-store.ts";

/** An owner that holds so many runs. */
async function holder(bed: StoreBed, count = 1): Promise<TestOwner & { readonly runs: string[] }> {
  const owner = await bed.owner();
  const runs = await Promise.all(Array.from({ length: count }, () => bed.newRun()));
  await startRuns(owner.client, owner.id, runs);
  return { ...owner, runs: runs.map(({ id }) => id) };
}

function ending(runId: string, at: number): Transition {
  const transition = newTransition(runId);
  const nothing = {
    deleteReason: null,
    afterInput: 0,
    result: "1",
    error: null,
    trace: null,
    lastError: null,
    attempt: 1,
    startedAt: at,
  };
  transition.ended.push({ runId, status: "succeeded", ...nothing, endedAt: at });
  transition.events.push({ runId, kind: "succeeded", data: null, at, afterInput: 0 });
  return transition;
}

const states = (bed: StoreBed): Promise<{ state: string; crashes: number; owner: string | null }[]> =>
  bed.query("SELECT DISTINCT state, crashes, owner FROM cairn.queue");

describe("a take-over", () => {
  it("frees the runs of an owner whose lease has run out, and counts a crash", async () => {
    const bed = await storeBed();
    const { id } = await holder(bed, 3);
    expect(await takeOver(bed.client)).toBe(0);
    expect(await states(bed)).toEqual([{ state: "held", crashes: 0, owner: id }]);
    await bed.advance(30_001);
    expect(await takeOver(bed.client)).toBe(3);
    expect(await states(bed)).toEqual([{ state: "ready", crashes: 1, owner: null }]);
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
    expect(await takeOver(bed.client)).toBe(0);
  });

  it("does not wait for the lease of an owner whose session has ended", async () => {
    const bed = await storeBed();
    const owner = await holder(bed);
    await owner.client.end();
    expect(await until(async () => (await takeOver(bed.client)) || undefined)).toBe(1);
    expect(await states(bed)).toEqual([{ state: "ready", crashes: 1, owner: null }]);
  });

  it("I3: after it, the former owner commits nothing", async () => {
    const bed = await storeBed();
    const owner = await holder(bed);
    await bed.advance(30_001);
    await takeOver(bed.client);
    const at = Date.now();
    await expect(commitTransitions(owner.client, owner.id, [ending(owner.runs[0]!, at)])).rejects.toThrow(
      OwnershipLost,
    );
    expect(await bed.query("SELECT status FROM cairn.runs")).toEqual([{ status: "pending" }]);
    expect(await bed.query("SELECT kind FROM cairn.run_events")).toEqual([{ kind: "created" }]);
  });

  it("I3: leaves an owner whose commit is under way to the next one, and what that has ended is not freed", async () => {
    const bed = await storeBed();
    const owner = await holder(bed, 2);
    await owner.client.query("BEGIN");
    await commitTransitions(owner.client, owner.id, [ending(owner.runs[0]!, Date.now())]);
    await bed.sql.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 s'");
    expect(await takeOver(bed.client)).toBe(0);
    await owner.client.query("COMMIT");
    expect(await takeOver(bed.client)).toBe(1);
    expect(await bed.query("SELECT id FROM cairn.runs WHERE status = 'succeeded'")).toEqual([{ id: owner.runs[0] }]);
  });

  it("I7: an owner that went with the server has the time to come back, and then no crash is counted", async () => {
    const bed = await storeBed();
    const [gone, expired] = [await holder(bed, 2), await holder(bed)];
    await bed.query("UPDATE cairn.owners SET server_started_at = server_started_at - interval '1 hour'");
    await bed.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 s' WHERE id = $1", expired.id);
    await bed.query("UPDATE cairn.queue SET crashes = 1");
    await gone.client.end();
    const own = { living: [], former: [] };
    expect(await takeOver(bed.client, { own, isGraceOver: false })).toBe(0);
    expect(await bed.query("SELECT FROM cairn.owners")).toHaveLength(2);
    let freed = 0;
    await until(async () => (freed += await takeOver(bed.client, { own, isGraceOver: true })) === 3);
    expect(await states(bed)).toEqual([{ state: "ready", crashes: 1, owner: null }]);
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
  });

  it("I7: leaves owners of the same process alone: without a session one comes back, lost ones are followed", async () => {
    const bed = await storeBed();
    const [living, former] = [await holder(bed), await holder(bed)];
    await living.client.end();
    await former.client.end();
    const own = { living: [living.id, former.id], former: [former.id] };
    // Sessions end some time after their clients.
    const locks = "SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database WHERE locktype = 'advisory'";
    await until(async () => (await bed.query(`${locks} AND d.datname = current_database()`)).length === 0);
    expect(await takeOver(bed.client, { own, isGraceOver: true })).toBe(0);
    // One that has not noticed anything for as long as its lease hangs.
    await bed.advance(30_001);
    expect(await takeOver(bed.client, { own, isGraceOver: true })).toBe(1);
    expect(await bed.query("SELECT id FROM cairn.owners")).toEqual([{ id: former.id }]);
    expect(await bed.query("SELECT owner FROM cairn.queue WHERE crashes = 0")).toEqual([{ owner: former.id }]);
  });

  it("waits for nobody who has locked an owner's row, and takes over the others", async () => {
    const bed = await storeBed();
    const [locked] = [await holder(bed), await holder(bed)];
    await bed.advance(30_001);
    const someone = await bed.connect();
    await someone.query("BEGIN");
    await someone.query("SELECT FROM cairn.owners WHERE id = $1 FOR KEY SHARE", [locked.id]);
    expect(await takeOver(bed.client)).toBe(1);
    await someone.query("ROLLBACK");
    expect(await takeOver(bed.client)).toBe(1);
  });

  it("frees the runs of owners of whom nothing is known", async () => {
    const bed = await storeBed();
    await startRuns(bed.client, null, [await bed.newRun()]);
    await bed.query("UPDATE cairn.queue SET state = 'held', owner = $1", randomUUID());
    expect(await takeOver(bed.client)).toBe(1);
  });

  it("by many at once frees each run once", async () => {
    const bed = await storeBed();
    await holder(bed, 300);
    await bed.advance(30_001);
    const clients = await Promise.all(Array.from({ length: 6 }, () => bed.connect()));
    const freed = await Promise.all(clients.map((client) => takeOver(client)));
    expect(freed.reduce((a, b) => a + b)).toBe(300);
    expect(await states(bed)).toEqual([{ state: "ready", crashes: 1, owner: null }]);
  });
});

describe("a lease", () => {
  it("I5: is kept by one row an owner, for its own length, and not once it has run out", async () => {
    const bed = await storeBed();
    const short = await bed.owner({ leaseMs: 1_000 });
    const long = await bed.owner({ leaseMs: 60_000 });
    expect((await keepOwners(bed.client, [short.id, long.id])).sort()).toEqual([short.id, long.id].sort());
    await bed.advance(1_500);
    expect(await keepOwners(bed.client, [short.id, long.id])).toEqual([long.id]);
    expect((await lookAtOwner(bed.client, short.id)).owned).toBe(false);
    await bed.advance(59_000);
    expect((await lookAtOwner(bed.client, long.id)).owned).toBe(true);
  });

  it("that someone has locked is left to the next time, and the others are kept", async () => {
    const bed = await storeBed();
    const [locked, free] = [await bed.owner(), await bed.owner()];
    const someone = await bed.connect();
    await someone.query("BEGIN");
    await someone.query("SELECT FROM cairn.owners WHERE id = $1 FOR UPDATE", [locked.id]);
    expect(await keepOwners(bed.client, [locked.id, free.id])).toEqual([free.id]);
    await someone.query("ROLLBACK");
    expect(await keepOwners(bed.client, [locked.id, free.id])).toHaveLength(2);
  });

  it("I7: that is given back frees its runs at once, and counts no crash", async () => {
    const bed = await storeBed();
    const owner = await holder(bed, 2);
    await bed.query("UPDATE cairn.queue SET crashes = 1");
    await releaseRun(owner.client, owner.id, { id: owner.runs[0]!, crashes: 0 });
    expect(await bed.query("SELECT FROM cairn.queue WHERE state = 'ready' AND crashes = 0")).toHaveLength(1);
    await releaseOwner(owner.client, owner.id);
    expect(await states(bed)).toEqual([{ state: "ready", crashes: 0, owner: null }]);
    const next = await bed.owner();
    expect(await claimFromFront(next.client, next.id, "default:*", 10)).toMatchObject([
      { begun: true, callsOut: true, crashes: 0 },
      { begun: true, callsOut: true, crashes: 0 },
    ]);
  });

  it("gives back nothing of others", async () => {
    const bed = await storeBed();
    const [one, two] = [await holder(bed), await holder(bed)];
    await releaseRun(one.client, one.id, { id: two.runs[0]!, crashes: 0 });
    await giveBackRuns(one.client, one.id, [{ id: two.runs[0]!, begun: false, callsOut: false }]);
    await releaseOwner(one.client, one.id);
    expect(await bed.query("SELECT run_id AS id FROM cairn.queue WHERE owner = $1", two.id)).toEqual([
      { id: two.runs[0] },
    ]);
  });
});
