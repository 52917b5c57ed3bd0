import { describe, expect, it } from "vitest";
import { sweepMail } from "../../src/store/mail.ts";
import { takeOver } from "../../src/store/owners.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, openLoop } from "../support/test-runloop.ts";
import { approved, guardian, sums } from "../workflows/basics.ts";
import { parentOf, twoCalls } from "../workflows/runloop.ts";

const phase = (bed: TestBed, run: string, name: string) =>
  until(
    async () => (await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 AND phase = $2", run, name)).length > 0,
  );

const restore = (bed: TestBed, run: string) =>
  bed.query<{ done: boolean }>("SELECT cairn.restore_run($1) AS done", run).then(([row]) => row!.done);

const kinds = async (bed: TestBed, run: string) =>
  (await bed.query<{ kind: string }>("SELECT kind FROM cairn.run_events WHERE run_id = $1 ORDER BY id", run)).map(
    ({ kind }) => kind,
  );

describe("a run that was deleted, and is restored", () => {
  it("is as it was, if it had ended; what is not deleted, or not there, stays so", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(sums, { n: 3 }, { idempotencyKey: "once" });
    expect(await run.result()).toBe(6);
    await run.delete("a mistake");
    expect(await bed.query("SELECT FROM cairn.idempotency_keys")).toEqual([]);
    await run.restore();
    expect(await run.result()).toBe(6);
    expect(await run.status()).toMatchObject({ status: "succeeded" });
    expect((await kinds(bed, run.id)).slice(-2)).toEqual(["deleted", "restored"]);
    expect(await bed.query("SELECT deleted_at, delete_reason FROM cairn.runs")).toEqual([
      { deleted_at: null, delete_reason: null },
    ]);
    const again = await cairn.start(sums, { n: 3 }, { idempotencyKey: "once" });
    expect(again.id).toBe(run.id);
    await run.restore();
    expect((await kinds(bed, run.id)).filter((kind) => kind === "restored")).toHaveLength(1);
    expect(await restore(bed, "01a1e117-9295-798b-8091-0c70e9ba8d64")).toBe(false);
  });

  it("is refused if another run has its key by now", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(sums, { n: 3 }, { idempotencyKey: "once" });
    await run.result();
    await run.delete();
    const other = await cairn.start(sums, { n: 4 }, { idempotencyKey: "once" });
    await expect(run.restore()).rejects.toMatchObject({ code: "IdempotencyConflict" });
    expect(await bed.query("SELECT FROM cairn.runs WHERE deleted_at IS NOT NULL")).toHaveLength(1);
    await other.delete();
    await run.restore();
    expect(await run.result()).toBe(6);
  });

  it.each([true, false])(
    "goes on from what it had committed, with the letters it had not read (swept: %s)",
    async (swept) => {
      const bed = await testBed();
      const cairn = await bed.open();
      const run = await cairn.start(approved);
      await phase(bed, run.id, "waiting");
      await run.signal("approval", "first");
      await until(async () => (await run.history()).length === 2);
      await phase(bed, run.id, "waiting");
      // By a statement that nobody is told of, so that it is not read before the run is deleted.
      await bed.query(
        `WITH sent AS (INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at)
        SELECT $1, 'signal', 'approval', '"second"', cairn.now() RETURNING run_id)
      SELECT FROM sent`,
        run.id,
      );
      await run.delete();
      await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
      if (swept) {
        await sweepMail(await connect(bed));
        expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
        expect(await bed.query("SELECT FROM cairn.run_events WHERE kind = 'undelivered'")).toEqual([]);
      }
      await run.restore();
      expect(await run.result()).toEqual(["first", "second"]);
      expect(await bed.query("SELECT FROM cairn.deleted_queue UNION ALL SELECT FROM cairn.deleted_mail")).toEqual([]);
    },
  );

  it("makes a call again that was under way: what it ended with meanwhile is taken by nobody", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    const run = await loop.start(twoCalls, 1);
    loop.answer(await loop.call(0), 10);
    const second = await loop.call(1);
    await bed.query("SELECT cairn.delete_run($1)", run);
    // Its owner has not read of it.
    await expect(restore(bed, run)).rejects.toMatchObject({ hint: "HeldUp" });
    loop.runloop.poke();
    expect(await loop.end(run)).toMatchObject({ status: "deleted" });
    expect(loop.aborted).toEqual([{ runId: run, call: second.call }]);
    expect(await restore(bed, run)).toBe(true);
    loop.runloop.poke();
    const again = await loop.call(2);
    expect(again).toMatchObject({ runId: run, call: second.call });
    loop.answer(again, 20);
    await until(async () => loop.ended.some(({ runId, status }) => runId === run && status === "succeeded"));
    expect(await bed.query("SELECT status FROM cairn.runs")).toEqual([{ status: "succeeded" }]);
    expect(await kinds(bed, run)).toEqual(expect.arrayContaining(["deleted", "restored", "succeeded"]));
  });

  it("whose owner went down before it read of it: the next one lets go of it, then it can be restored", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(twoCalls, 1);
    loop.answer(await loop.call(0), 10);
    await loop.call(1);
    await bed.query("SELECT cairn.delete_run($1)", run);
    await bed.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 ms'");
    await takeOver(await connect(bed));
    await expect(restore(bed, run)).rejects.toMatchObject({ hint: "HeldUp" });
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.runloop.poke();
    expect(await next.end(run)).toMatchObject({ status: "deleted" });
    expect(await restore(bed, run)).toBe(true);
    next.runloop.poke();
    next.answer(await next.call(0), 20);
    await until(async () => next.ended.some(({ runId, status }) => runId === run && status === "succeeded"));
  });

  it("that was paused is paused, one whose time has not come waits for it, and what has passed meanwhile does not end it", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const paused = await cairn.start(approved);
    await phase(bed, paused.id, "waiting");
    await paused.pause();
    await phase(bed, paused.id, "paused");
    const soon = Date.now() + 60_000;
    const later = await cairn.start(sums, { n: 2 }, { runAt: new Date(soon), deadline: new Date(soon + 60_000) });
    for (const run of [paused, later]) {
      await run.delete();
      await run.restore();
    }
    expect(await paused.status()).toMatchObject({ phase: "paused" });
    expect(await later.status()).toMatchObject({ phase: "sleeping" });
    for (const text of ["a", "b"]) await paused.signal("approval", text);
    await paused.resume();
    expect(await paused.result()).toEqual(["a", "b"]);
    await later.delete();
    // As if time had passed.
    await bed.query("UPDATE cairn.deleted_queue SET wake_at = cairn.now()");
    await bed.query("UPDATE cairn.runs SET deadline = cairn.now() WHERE deadline IS NOT NULL");
    await later.restore();
    expect(await later.result()).toBe(3);
  });

  it("takes children with it that were deleted with it, and none that was deleted by itself", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const child = async (of: string) =>
      (await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent = $1", of))[0]?.id;
    const parent = await cairn.start(guardian);
    const waited = cairn.run(await until(() => child(parent.id)));
    for (const { id } of [parent, waited]) await phase(bed, id, "waiting");
    await waited.signal("approval", "before");
    await phase(bed, waited.id, "waiting");
    await parent.delete();
    await expect(waited.result()).rejects.toThrow("was deleted");
    await sweepMail(await connect(bed));
    await parent.restore();
    expect(await waited.status()).toMatchObject({ status: expect.stringMatching(/pending|leased/) });
    await waited.signal("approval", "after");
    expect(await parent.result()).toEqual(["before", "after"]);

    const other = await cairn.start(guardian);
    const alone = cairn.run(await until(() => child(other.id)));
    for (const { id } of [other, alone]) await phase(bed, id, "waiting");
    await alone.delete("by itself");
    await expect(other.result()).rejects.toThrow("was deleted");
    await other.delete();
    await other.restore();
    await expect(alone.result()).rejects.toThrow("was deleted");
    // It goes on by itself: whoever waited for it does so no more.
    await alone.restore();
    for (const text of ["a", "b"]) await alone.signal("approval", text);
    expect(await alone.result()).toEqual(["a", "b"]);
    await expect(other.result()).rejects.toThrow("was deleted");
  });

  it("waits for children of a run that was held: they may not have read yet that they are deleted", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    const run = await loop.start(parentOf, 1);
    const { runId: child } = await loop.call(0);
    await bed.query("SELECT cairn.delete_run($1)", run);
    loop.runloop.poke();
    await loop.end(run);
    await until(async () => {
      await wakeRuns(loop.control);
      loop.runloop.poke();
      return restore(bed, run).catch(() => false);
    });
    const [row] = await bed.query("SELECT deleted_at, deleted_with FROM cairn.runs WHERE id = $1", child);
    expect(row).toEqual({ deleted_at: null, deleted_with: null });
    await until(async () => {
      loop.runloop.poke();
      return loop.dispatched.length > 1;
    });
    loop.answer(await loop.call(1), 5);
    await until(async () => {
      await wakeRuns(loop.control);
      loop.runloop.poke();
      return loop.ended.some(({ runId, status }) => runId === run && status === "succeeded");
    });
  });

  it("is not lost to a sweep of mail that looks at the same time", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(approved, undefined, { runAt: new Date(Date.now() + 600_000) });
    await run.signal("approval", "kept");
    await run.delete();
    const [restoring, sweeping] = [await connect(bed), await connect(bed)];
    await restoring.query("BEGIN");
    await restoring.query("SELECT cairn.restore_run($1)", [run.id]);
    await sweepMail(sweeping);
    await restoring.query("COMMIT");
    expect(await bed.query("SELECT name FROM cairn.mailbox")).toEqual([{ name: "approval" }]);
    expect(await bed.query("SELECT FROM cairn.deleted_mail")).toEqual([]);
  });
});
