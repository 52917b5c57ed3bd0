import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takeOver } from "../../src/store/owners.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, lockWith, openLoop, type TestLoop, untilBlocked } from "../support/test-runloop.ts";
import { approved, guardian } from "../workflows/basics.ts";
import { listening, newsBesideCall, startsOnNews, workOnNews } from "../workflows/runloop.ts";

async function phase(bed: TestBed, run: string, wanted: string): Promise<void> {
  await until(
    async () => (await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 AND phase = $2", run, wanted)).length === 1,
  );
}

/** A number is a signal. */
async function send(bed: TestBed, run: string, ...letters: readonly (string | number)[]): Promise<void> {
  for (const letter of letters) {
    if (typeof letter === "number") await bed.query("SELECT cairn.signal_run($1, 'news', $2)", run, String(letter));
    else await bed.query("SELECT cairn.send_mail($1, $2, NULL, NULL)", run, letter);
  }
}

async function look(loop: TestLoop): Promise<void> {
  await wakeRuns(loop.control);
  loop.runloop.poke();
}

/** Events since it was paused, and inputs by their numbers, in the order in which they are told. */
async function told(bed: TestBed, run: string): Promise<(string | number)[]> {
  const events = await bed.query<{ kind: string; after: number }>(
    "SELECT kind, after_input AS after FROM cairn.run_events WHERE run_id = $1 ORDER BY id",
    run,
  );
  const all: (string | number)[] = [];
  let input = 1;
  for (const { kind, after } of events.slice(events.findIndex((each) => each.kind === "paused"))) {
    while (input < after) all.push(++input);
    if (kind !== "leased" && kind !== "signalled") all.push(kind);
  }
  return all;
}

/** A run that is parked, and waits for news. */
async function waitingRun(): Promise<{ bed: TestBed; loop: TestLoop; run: string }> {
  const bed = await testBed();
  const loop = await openLoop(bed);
  const run = await loop.start(workOnNews, 1);
  await phase(bed, run, "waiting");
  return { bed, loop, run };
}

describe("a paused run", () => {
  it("takes what has come while it was paused after it is resumed, and not before", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(listening, 3);
    await phase(bed, run, "waiting");
    await send(bed, run, "pause");
    await look(loop);
    await phase(bed, run, "paused");
    await send(bed, run, 1, "pause", 2, "resume", 3);
    await look(loop);
    expect(await loop.end(run)).toMatchObject({ value: "[1,2,3]" });
    expect(await told(bed, run)).toEqual(["paused", "paused", "resumed", 2, 3, 4, "succeeded"]);
  });

  it("that is held when all of it comes at once takes it in the same order", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(listening, 3);
    await phase(bed, run, "waiting");
    await send(bed, run, 1, "pause", 2, "resume", 3);
    await look(loop);
    expect(await loop.end(run)).toMatchObject({ value: "[1,2,3]" });
    expect((await told(bed, run)).slice(-5)).toEqual(["paused", "resumed", 3, 4, "succeeded"]);
  });

  it("that is cancelled takes nothing of what has come while it was paused first", async () => {
    const { bed, loop, run } = await waitingRun();
    await send(bed, run, "pause");
    await look(loop);
    await phase(bed, run, "paused");
    await send(bed, run, 1, "cancel");
    await look(loop);
    expect(await loop.end(run)).toMatchObject({ status: "cancelled" });
    expect(loop.dispatched).toEqual([]);
    expect((await bed.query("SELECT kind FROM cairn.history ORDER BY number")).slice(0, 2)).toEqual([
      { kind: "start" },
      { kind: "cancel" },
    ]);
  });

  it("stays paused if whoever holds it goes down before it reads why it was woken", async () => {
    const { bed, loop, run } = await waitingRun();
    await send(bed, run, "pause");
    await look(loop);
    await phase(bed, run, "paused");
    await loop.runloop.close();
    await send(bed, run, 1);
    // As if someone had claimed it, and was gone.
    await bed.query(
      `UPDATE cairn.queue SET state = 'held', owner = '01a1e117-9295-798b-8091-0c70e9ba8d64', phase = 'running', wake_at = NULL`,
    );
    await takeOver(await connect(bed));
    const next = await openLoop(bed);
    await look(next);
    await phase(bed, run, "paused");
    expect(await bed.query("SELECT FROM cairn.history")).toHaveLength(1);
    await send(bed, run, "resume");
    await look(next);
    next.answer(await next.call(0), 5);
    expect(await next.end(run)).toMatchObject({ value: "5" });
  });

  it("whose call was never sent makes it at once when it is resumed: nobody is asked who runs it", async () => {
    const { bed, loop, run } = await waitingRun();
    await send(bed, run, 1, "pause");
    await look(loop);
    await phase(bed, run, "paused");
    expect(loop.dispatched).toEqual([]);
    await send(bed, run, "resume");
    await look(loop);
    loop.answer(await loop.call(0), 5);
    expect(await loop.end(run)).toMatchObject({ value: "5" });
    expect(loop.adopted).toEqual([]);
  });
});

async function deleteRun(bed: TestBed, run: string): Promise<void> {
  await bed.query("SELECT cairn.delete_run($1)", run);
}

/** Once whoever holds it has let go of it. */
async function restore(bed: TestBed, loop: TestLoop, run: string): Promise<void> {
  await until(async () => {
    await look(loop);
    return bed.query("SELECT cairn.restore_run($1)", run).catch(() => false);
  });
}

/** It takes a signal when it is resumed, and not before. */
async function isPaused(bed: TestBed, loop: TestLoop, run: string): Promise<void> {
  await until(async () => {
    await look(loop);
    return (await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 AND phase = 'paused'", run)).length === 1;
  });
  await send(bed, run, 1);
  await look(loop);
  expect(await bed.query("SELECT FROM cairn.queue WHERE phase = 'paused' AND state = 'parked'")).toHaveLength(1);
  expect(await bed.query("SELECT FROM cairn.history WHERE kind = 'signal'")).toEqual([]);
  await send(bed, run, "resume");
  await until(async () => {
    await look(loop);
    return (await bed.query("SELECT FROM cairn.history WHERE kind = 'signal'")).length === 1;
  });
  const events = await bed.query<{ kind: string }>("SELECT kind FROM cairn.run_events ORDER BY id");
  const kinds = events.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "paused")).toHaveLength(1);
  expect(kinds.indexOf("resumed")).toBeLessThan(kinds.indexOf("signalled"));
}

describe("a paused run that is rolled back", () => {
  it("goes back when it is resumed, and makes no call in between", async () => {
    const { bed, loop, run } = await waitingRun();
    await send(bed, run, 1, "pause");
    await look(loop);
    await phase(bed, run, "paused");
    const order = { to: 1, compensate: false, keepChance: true, despiteCompensations: false, checkedAt: 2 };
    await bed.query("SELECT cairn.send_mail($1, 'rollback', NULL, $2)", run, JSON.stringify(order));
    await look(loop);
    expect(await bed.query("SELECT FROM cairn.queue WHERE state = 'parked' AND phase = 'paused'")).toHaveLength(1);
    await send(bed, run, "resume");
    await look(loop);
    loop.answer(await loop.call(0), 5);
    expect(await loop.end(run)).toMatchObject({ value: "5" });
    expect(loop.dispatched).toHaveLength(1);
    const events = await told(bed, run);
    expect(events.indexOf("resumed")).toBeLessThan(events.indexOf("rolled back"));
  });
});

describe("a child that lives on its own, and is started with the input before", () => {
  it.each(["pause", "delete"])("a %s: the run knows of it when it goes on", async (kind) => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(startsOnNews, 1);
    await phase(bed, run, "waiting");
    await bed.query("UPDATE cairn.queue SET state = 'held', owner = $1, phase = 'running'", loop.owner);
    await send(bed, run, 1);
    if (kind === "delete") await deleteRun(bed, run);
    else await send(bed, run, "pause");
    await bed.query("UPDATE cairn.queue SET state = 'parked', owner = NULL, phase = 'waiting'");
    await look(loop);
    if (kind === "delete") await restore(bed, loop, run);
    else await phase(bed, run, "paused").then(() => send(bed, run, "resume"));
    await until(async () => {
      await look(loop);
      return loop.dispatched.some(({ runId }) => runId === run);
    });
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(2);
    expect(loop.adopted).toEqual([]);
  });
});

describe("a run that was paused, deleted and restored is paused", () => {
  it("whose letter nobody had read", async () => {
    const { bed, loop, run } = await waitingRun();
    await send(bed, run, "pause");
    await deleteRun(bed, run);
    await restore(bed, loop, run);
    await isPaused(bed, loop, run);
  });

  it("who reads of both together", async () => {
    const { bed, loop, run } = await waitingRun();
    await bed.query("UPDATE cairn.queue SET state = 'held', owner = $1, phase = 'running'", loop.owner);
    await send(bed, run, "pause");
    await deleteRun(bed, run);
    await bed.query("UPDATE cairn.queue SET state = 'parked', owner = NULL, phase = 'waiting'");
    await restore(bed, loop, run);
    await isPaused(bed, loop, run);
  });

  it("that was being paused when it was deleted", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(newsBesideCall, 1);
    await loop.call(0);
    const release = await lockWith(bed, "SELECT FROM cairn.queue FOR UPDATE");
    await send(bed, run, "pause");
    loop.runloop.poke();
    await untilBlocked(bed);
    await deleteRun(bed, run);
    await release();
    await restore(bed, loop, run);
    await isPaused(bed, loop, run);
  });

  it("that was woken, and not claimed", async () => {
    const { bed, loop, run } = await waitingRun();
    await send(bed, run, "pause");
    await look(loop);
    await phase(bed, run, "paused");
    await bed.query("UPDATE cairn.queue SET state = 'ready', phase = 'ready', wake_at = NULL");
    await deleteRun(bed, run);
    await restore(bed, loop, run);
    await isPaused(bed, loop, run);
  });

  it("whenever all of this comes", { timeout: 120_000 }, async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const delayMs = fc.integer({ min: 0, max: 12 });
    const timing = fc.record({
      isParked: fc.boolean(),
      deleteMs: delayMs,
      restoreMs: delayMs,
      isResumed: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(timing, { minLength: 10, maxLength: 10 }), async (timings) => {
        const runs = await Promise.all(
          timings.map(async ({ isParked, deleteMs, restoreMs, isResumed }) => {
            const run = await cairn.start(approved);
            if (isParked) await until(async () => (await run.status()).phase === "waiting");
            await run.pause();
            if (isResumed) await run.resume();
            await after(deleteMs);
            await run.delete();
            await after(restoreMs);
            await run.restore();
            for (const text of ["a", "b"]) await run.signal("approval", text);
            if (!isResumed) await until(async () => (await run.status()).phase === "paused");
            return { run, isResumed };
          }),
        );
        await after(20);
        for (const { run, isResumed } of runs) {
          if (isResumed) continue;
          expect(await run.status()).toMatchObject({ status: "pending", phase: "paused" });
          await run.resume();
        }
        for (const { run } of runs) expect(await run.result()).toEqual(["a", "b"]);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it("as a child of the one that was deleted", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const parent = await cairn.start(guardian);
    const [{ id }] = await until(async () => {
      const rows = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent = $1", parent.id);
      return rows.length > 0 && (rows as [{ id: string }]);
    });
    const child = cairn.run(id);
    for (const run of [parent, child]) await phase(bed, run.id, "waiting");
    await child.pause();
    await phase(bed, id, "paused");
    // Its owner lets go of it, and tells its children so.
    await bed.query(
      "UPDATE cairn.queue SET state = 'held', owner = (SELECT id FROM cairn.owners LIMIT 1) WHERE run_id = $1",
      parent.id,
    );
    await parent.delete();
    await bed.query("UPDATE cairn.queue SET state = 'ready', owner = NULL WHERE run_id = $1", parent.id);
    await parent.restore();
    await phase(bed, id, "paused");
    for (const text of ["a", "b"]) await child.signal("approval", text);
    expect(await child.status()).toMatchObject({ status: "pending", phase: "paused" });
    await child.resume();
    expect(await parent.result()).toEqual(["a", "b"]);
  });

  it("with its deadline", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(workOnNews, 1, { deadline: Date.now() + 60_000 });
    await phase(bed, run, "waiting");
    await send(bed, run, "pause");
    await look(loop);
    await phase(bed, run, "paused");
    await bed.query("UPDATE cairn.queue SET state = 'ready', phase = 'ready', wake_at = NULL");
    await deleteRun(bed, run);
    await restore(bed, loop, run);
    await phase(bed, run, "paused");
    await bed.advance(120_000);
    await look(loop);
    await until(async () => loop.ended.some(({ status }) => status === "failed"));
  });
});

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
