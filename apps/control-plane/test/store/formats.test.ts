import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { claimFromFront, hasQuarantined } from "../../src/store/claim-runs.ts";
import { forkRun } from "../../src/store/fork-run.ts";
import { FORMAT } from "../../src/store/format.ts";
import { keepOwners, releaseOwner } from "../../src/store/owners.ts";
import { retryRun } from "../../src/store/revive-run.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { until } from "../support/test-engine.ts";
import { openLoop } from "../support/test-runloop.ts";
import { type StoreBed, storeBed, type TestOwner } from "../support/test-store.ts";
import { parentOf } from "../workflows/runloop.ts";

/** An owner of a release that understands this format: older than ours, or newer. */
async function ownerOf(bed: StoreBed, format: number): Promise<TestOwner> {
  const owner = await bed.owner();
  await bed.query("UPDATE cairn.owners SET format = $2 WHERE id = $1", owner.id, format);
  return owner;
}

async function writtenBy(bed: StoreBed, { id }: TestOwner): Promise<number> {
  const [row] = await bed.query<{ format: number }>(
    "SELECT written_format AS format FROM cairn.owners WHERE id = $1",
    id,
  );
  return row!.format;
}

async function claim({ client, id }: TestOwner): Promise<string[]> {
  return (await claimFromFront(client, id, "default:*", 10)).map((run) => run.id);
}

/** A run that is ready, as it was left by someone who writes this format. */
async function left(bed: StoreBed, format: number): Promise<string> {
  const run = await bed.newRun();
  await startRuns(bed.client, null, [run]);
  await bed.query("UPDATE cairn.queue SET format = $2 WHERE run_id = $1", run.id, format);
  return run.id;
}

const formats = (bed: StoreBed): Promise<unknown[]> => bed.query("SELECT DISTINCT format FROM cairn.queue ORDER BY 1");

describe("formats, while releases change", () => {
  it("a claim takes what its owner understands, and leaves the rest to newer ones", async () => {
    const bed = await storeBed();
    const [mine, later] = [await left(bed, FORMAT), await left(bed, FORMAT + 1)];
    const [ours, newer] = [await bed.owner(), await ownerOf(bed, FORMAT + 1)];
    expect(await claim(ours)).toEqual([mine]);
    expect(await claim(newer)).toEqual([later]);
  });

  it("runs in quarantine that are not understood are for newer ones too", async () => {
    const bed = await storeBed();
    await left(bed, FORMAT + 1);
    await bed.query("UPDATE cairn.queue SET crashes = 2");
    expect(await hasQuarantined(bed.client, null)).toBe(false);
    await bed.query("UPDATE cairn.queue SET format = $1", FORMAT);
    expect(await hasQuarantined(bed.client, null)).toBe(true);
  });

  it("an owner writes what the oldest that is alive understands, from the beginning", async () => {
    const bed = await storeBed();
    const alone = await bed.owner();
    expect(await writtenBy(bed, alone)).toBe(FORMAT);
    const newer = await ownerOf(bed, FORMAT + 1);
    expect(await writtenBy(bed, await bed.owner())).toBe(FORMAT);
    await ownerOf(bed, FORMAT - 1);
    expect(await writtenBy(bed, await bed.owner())).toBe(FORMAT - 1);
    // Those that were there before learn of it with their next heartbeat.
    await keepOwners(bed.client, [alone.id, newer.id]);
    expect([await writtenBy(bed, alone), await writtenBy(bed, newer)]).toEqual([FORMAT - 1, FORMAT - 1]);
  });

  it("a newer owner writes its own format when the last older one is gone, released or with its lease run out", async () => {
    const bed = await storeBed();
    const newer = await ownerOf(bed, FORMAT + 1);
    const [released, expired] = [await bed.owner(), await bed.owner()];
    const beat = async (): Promise<number> => {
      await keepOwners(bed.client, [newer.id]);
      return writtenBy(bed, newer);
    };
    expect(await beat()).toBe(FORMAT);
    await releaseOwner(released.client, released.id);
    expect(await beat()).toBe(FORMAT);
    await bed.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 s' WHERE id = $1", expired.id);
    expect(await beat()).toBe(FORMAT + 1);
  });

  it("a rolling deploy: until the last older owner is gone it can go on with whatever newer ones had", async () => {
    const bed = await storeBed();
    const older = await bed.owner();
    const newer = await ownerOf(bed, FORMAT + 1);
    await keepOwners(bed.client, [newer.id]);
    const run = await left(bed, FORMAT);
    expect(await claim(newer)).toEqual([run]);
    const started = await bed.newRun();
    await startRuns(newer.client, newer.id, [started]);
    expect(await formats(bed)).toEqual([{ format: FORMAT }]);
    await releaseOwner(newer.client, newer.id);
    expect((await claim(older)).sort()).toEqual([run, started.id].sort());

    // Now the older one goes first: what newer ones have is theirs from then on.
    const next = await ownerOf(bed, FORMAT + 1);
    await releaseOwner(older.client, older.id);
    await keepOwners(bed.client, [next.id]);
    expect(await claim(next)).toHaveLength(2);
    await startRuns(next.client, next.id, [await bed.newRun()]);
    expect(await formats(bed)).toEqual([{ format: FORMAT + 1 }]);
    await releaseOwner(next.client, next.id);
    expect(await claim(await bed.owner())).toEqual([]);
  });

  it("a run that lives again, and a fork of it, are for those who understand who ended it", async () => {
    const bed = await storeBed();
    const [ours, newer] = [await bed.owner(), await ownerOf(bed, FORMAT + 1)];
    const run = await left(bed, FORMAT);
    await bed.query("DELETE FROM cairn.queue");
    await bed.query("UPDATE cairn.runs SET status = 'failed', ended_at = cairn.now(), format = $1", FORMAT + 1);
    const options = { effects: null, priority: null, tags: [], deadline: null, traceparent: null, order: "{}" };
    const { id } = await bed.newRun();
    expect(await forkRun(bed.client, { id, from: run, number: 1, ...options })).toBe(true);
    expect(await retryRun(bed.client, run, randomUUID())).toBe(true);
    expect(await claim(ours)).toEqual([]);
    expect((await claim(newer)).sort()).toEqual([run, id].sort());
  });

  it("a run keeps the format that it was written in, whatever its next owner writes", async () => {
    const bed = await storeBed();
    const later = await left(bed, FORMAT + 1);
    await bed.owner();
    const newer = await ownerOf(bed, FORMAT + 1);
    await keepOwners(bed.client, [newer.id]);
    expect(await claim(newer)).toEqual([later]);
    expect(await formats(bed)).toEqual([{ format: FORMAT + 1 }]);
  });

  it("what nobody owns yet was written by nobody: all releases understand it", async () => {
    const bed = await storeBed();
    const newer = await ownerOf(bed, FORMAT + 1);
    await keepOwners(bed.client, [newer.id]);
    await startRuns(newer.client, newer.id, [await bed.newRun({ runAt: Date.now() + 60_000 })]);
    await bed.query("SELECT cairn.start_run('test.noop.v1')");
    expect(await formats(bed)).toEqual([{ format: 1 }]);
  });

  it.each([10, 1])("a child is written as its parent's owner writes, if that holds it (room: %i)", async (heldMax) => {
    const bed = await storeBed();
    await ownerOf(bed, FORMAT - 1);
    const loop = await openLoop(bed, { heldMax });
    const run = await loop.start(parentOf, 1);
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 2);
    const [child] = await bed.query("SELECT format FROM cairn.queue WHERE run_id <> $1", run);
    expect(child).toEqual({ format: heldMax === 1 ? 1 : FORMAT - 1 });
    const [parent] = await bed.query("SELECT format FROM cairn.queue WHERE run_id = $1", run);
    expect(parent).toEqual({ format: FORMAT - 1 });
  });
});
