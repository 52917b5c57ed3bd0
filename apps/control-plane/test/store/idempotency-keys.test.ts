import { describe, expect, it } from "vitest";
import { openBlobs } from "../../src/blobs/open-blobs.ts";
import { Patience } from "../../src/library/patience.ts";
import { Starter } from "../../src/library/starter.ts";
import { Programs } from "../../src/runloop/programs.ts";
import { findEarlierRuns, startRuns } from "../../src/store/start-runs.ts";
import { NOOP, type StoreBed, storeBed } from "../support/test-store.ts";
import { echo, sums } from "../workflows/basics.ts";

describe("idempotency keys", () => {
  it("that are used twice in a batch start the first of the runs", async () => {
    const bed = await storeBed();
    const runs = [
      await bed.newRun({ idempotencyKey: "k" }),
      await bed.newRun({ idempotencyKey: "k" }),
      await bed.newRun(),
    ];
    const started = await startRuns(bed.client, null, runs);
    expect(started.map(({ id }) => id).sort()).toEqual([runs[0]!.id, runs[2]!.id].sort());
    const [, second] = await findEarlierRuns(bed.client, runs);
    expect(second).toMatchObject({ id: runs[0]!.id });
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(2);
  });

  it("with the same input are the first run, with another a conflict, whatever has become of the run", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const first = await cairn.start(sums, { n: 2 }, { idempotencyKey: "k" });
    expect((await cairn.start(sums, { n: 2 }, { idempotencyKey: "k" })).id).toBe(first.id);
    await first.result();
    expect((await cairn.start(sums, { n: 2 }, { idempotencyKey: "k" })).id).toBe(first.id);
    const conflict = cairn.start(sums, { n: 3 }, { idempotencyKey: "k" });
    await expect(conflict).rejects.toMatchObject({
      code: "IdempotencyConflict",
      message: "The key k was used for another input of test.sums.v1",
    });
    // Of another type, it is another key.
    expect((await cairn.start(echo, "k", { idempotencyKey: "k" })).id).not.toBe(first.id);
    expect(await bed.query("SELECT FROM cairn.idempotency_keys")).toHaveLength(2);
  });

  it("are free again when the run is soft-deleted", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const first = await cairn.start(sums, { n: 2 }, { idempotencyKey: "k" });
    await first.result();
    await first.delete("again, please");
    const second = await cairn.start(sums, { n: 3 }, { idempotencyKey: "k" });
    expect(second.id).not.toBe(first.id);
    expect(await second.result()).toBe(6);
  });

  it("that many use at once, in several processes, start one run", async () => {
    const bed = await storeBed();
    const engines = await Promise.all([1, 2, 3].map(() => bed.open()));
    const handles = await Promise.all(
      Array.from({ length: 60 }, (_, index) => engines[index % 3]!.start(sums, { n: 4 }, { idempotencyKey: "k" })),
    );
    expect(new Set(handles.map(({ id }) => id)).size).toBe(1);
    expect(await handles[0]!.result()).toBe(10);
  });

  it("that are freed while a start finds them used start a run after all", async () => {
    const bed = await storeBed();
    const first = await bed.newRun({ idempotencyKey: "k" });
    await startRuns(bed.client, null, [first]);
    let tries = 0;
    const starter = new Starter({
      client: bed.client,
      programs: programsWithNoop(bed),
      patience: new Patience(1_000, bed.url),
      blobs: openBlobs(bed.client, null),
      now: () => Date.now(),
      start: async (runs) => {
        const started = await startRuns(bed.client, null, runs);
        if (tries++ === 0) await bed.query("SELECT cairn.delete_run($1)", first.id);
        return started;
      },
    });
    const id = await starter.start({
      namespace: "default",
      type: NOOP.name,
      payload: "7",
      checked: false,
      options: { idempotencyKey: "k" },
    });
    expect(id).not.toBe(first.id);
    expect(tries).toBe(2);
  });

  it("in a transaction that has not ended hold up nobody but those who use them", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await cairn.register(sums);
    const other = await bed.connect();
    await other.query("BEGIN");
    const text = `SELECT cairn.start_run('test.sums.v1', '{"n":5}', '{"idempotencyKey":"k"}') AS id`;
    const { id } = (await other.query<{ id: string }>(text)).rows[0]!;
    const same = cairn.start(sums, { n: 5 }, { idempotencyKey: "k" });
    for (const n of [1, 2, 3]) expect(await (await cairn.start(sums, { n })).result()).toBe((n * (n + 1)) / 2);
    expect(await (await cairn.start(sums, { n: 2 }, { idempotencyKey: "other" })).result()).toBe(3);
    await other.query("COMMIT");
    expect((await same).id).toBe(id);
    expect(await (await same).result()).toBe(15);
  });
});

/** The noop's program is none: it must not be loaded. */
function programsWithNoop(bed: StoreBed): Programs {
  const loaded = { ...NOOP, image: undefined, inputSchema: null };
  return Object.assign(new Programs(bed.client, () => 0), { knownCurrent: () => loaded });
}
