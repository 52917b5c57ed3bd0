import { describe, expect, it } from "vitest";
import { commitTransitions } from "../../src/store/commit-transitions.ts";
import { OwnershipLost } from "../../src/store/fence.ts";
import { changeIncarnation } from "../../src/store/incarnation.ts";
import { keepOwners } from "../../src/store/owners.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { writeChunks } from "../../src/store/stream-chunks.ts";
import { newTransition, type Transition } from "../../src/store/transition.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

async function incarnationOf(bed: StoreBed): Promise<string> {
  const rows = await bed.query<{ id: string }>("SELECT id FROM cairn.incarnation");
  expect(rows).toHaveLength(1);
  return rows[0]!.id;
}

function telling(runId: string): Transition {
  const transition = newTransition(runId);
  transition.events.push({ runId, kind: "progress", data: null, at: Date.now(), afterInput: 0 });
  return transition;
}

describe("the incarnation of a database", () => {
  it("is one, and owners carry it", async () => {
    const bed = await storeBed();
    const id = await incarnationOf(bed);
    await bed.owner();
    expect(await bed.query("SELECT incarnation FROM cairn.owners")).toEqual([{ incarnation: id }]);
    await expect(bed.query("INSERT INTO cairn.incarnation VALUES (gen_random_uuid(), cairn.now())")).rejects.toThrow(
      "incarnation_is_one",
    );
  });

  it("changes: nobody from before commits, keeps a lease or holds a run, and no crash is counted", async () => {
    const bed = await storeBed();
    const before = await incarnationOf(bed);
    const [owner, other] = [await bed.owner(), await bed.owner()];
    const runs = [await bed.newRun(), await bed.newRun()];
    await startRuns(owner.client, owner.id, runs);
    const changed = await changeIncarnation(bed.client);
    expect(changed).toEqual({ incarnation: await incarnationOf(bed), owners: 2, freed: 2 });
    expect(changed.incarnation).not.toBe(before);
    expect(await keepOwners(bed.client, [owner.id, other.id])).toEqual([]);
    await expect(commitTransitions(owner.client, owner.id, [telling(runs[0]!.id)])).rejects.toThrow(OwnershipLost);
    expect(await bed.query("SELECT DISTINCT state, owner, phase, crashes, calls_out FROM cairn.queue")).toEqual([
      { state: "ready", owner: null, phase: "ready", crashes: 0, calls_out: true },
    ]);
  });

  it("changes: what calls of the past have streamed is not taken for that of those that are made again", async () => {
    const bed = await storeBed();
    const run = await bed.newRun();
    await startRuns(bed.client, null, [run]);
    const about = { namespace: "default", runId: run.id, call: "1.0", attempt: 1, number: 1 };
    await writeChunks(bed.client, [{ ...about, incarnation: await incarnationOf(bed), value: '"then"' }]);
    const { incarnation } = await changeIncarnation(bed.client);
    await writeChunks(bed.client, [{ ...about, incarnation, value: '"now"' }]);
    expect(await bed.query("SELECT value FROM cairn.stream_chunks")).toEqual([{ value: "now" }]);
  });

  it("changes after commits that are under way, and an owner that is opened meanwhile has the new one", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const run = await bed.newRun();
    await startRuns(owner.client, owner.id, [run]);
    await owner.client.query("BEGIN");
    await commitTransitions(owner.client, owner.id, [telling(run.id)]);
    const blocked = async (count: number): Promise<true> =>
      until(async () => {
        const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        return (await bed.query(waiting)).length === count;
      });
    const changing = changeIncarnation(bed.client);
    await blocked(1);
    const opening = bed.owner();
    await blocked(2);
    await owner.client.query("COMMIT");
    const { incarnation, owners } = await changing;
    expect(owners).toBe(1);
    const { id } = await opening;
    expect(await bed.query("SELECT id, incarnation FROM cairn.owners")).toEqual([{ id, incarnation }]);
    expect(await bed.query("SELECT kind FROM cairn.run_events WHERE kind = 'progress'")).toHaveLength(1);
  });
});
