import { describe, expect, it } from "vitest";
import { DatabaseClock } from "../../src/runloop/clock.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { openLoop, startUnowned, type TestLoop } from "../support/test-runloop.ts";
import { oneCall, parentOf, undoesWhenStopped, undoing, waitsUndoes } from "../workflows/runloop.ts";

async function cancel(bed: TestBed, loop: TestLoop, run: string, reason = "enough"): Promise<boolean> {
  const [row] = await bed.query<{ done: boolean }>("SELECT cairn.cancel_run($1, $2) AS done", run, reason);
  await wakeRuns(loop.control);
  loop.runloop.poke();
  return row!.done;
}

async function statusOf(bed: TestBed, run: string): Promise<string> {
  return (await bed.query<{ status: string }>("SELECT status FROM cairn.workflow_run WHERE id = $1", run))[0]!.status;
}

async function phase(bed: TestBed, run: string, wanted: string): Promise<void> {
  await until(
    async () => (await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 AND phase = $2", run, wanted)).length === 1,
  );
}

describe("cancel", () => {
  it("ends a run that never started and has no owner in one statement", async () => {
    const bed = await testBed();
    const [run, other] = (await startUnowned(bed, oneCall, [1, 2])) as [string, string];
    expect(await bed.query("SELECT cairn.cancel_run($1, 'enough') AS done", run)).toEqual([{ done: true }]);
    expect(await bed.query("SELECT status, last_error, started_at FROM cairn.workflow_run WHERE id = $1", run)).toEqual(
      [{ status: "cancelled", last_error: "RunCancelled: enough", started_at: null }],
    );
    expect(await bed.query("SELECT run_id FROM cairn.queue")).toEqual([{ run_id: other }]);
    expect(await bed.query("SELECT FROM cairn.history")).toEqual([]);
    expect(await bed.query("SELECT kind FROM cairn.run_events WHERE run_id = $1 ORDER BY id", run)).toEqual([
      { kind: "created" },
      { kind: "cancelled" },
    ]);
    expect(await bed.query("SELECT cairn.cancel_run($1) AS done", run)).toEqual([{ done: false }]);
  });

  it("is rolled back with the transaction it was asked for in", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, oneCall, [1])) as [string];
    await bed.query("BEGIN");
    await bed.query("SELECT cairn.cancel_run($1)", run);
    await bed.query("ROLLBACK");
    expect(await statusOf(bed, run)).toBe("pending");
    expect(await bed.query("SELECT FROM cairn.queue")).toHaveLength(1);
  });

  it("of a run that is held takes effect with its history row: its calls are aborted, compensations run, then it is cancelled", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoesWhenStopped, 1);
    const call = await loop.call(0);
    expect(await cancel(bed, loop, run)).toBe(true);
    const undo = await loop.call(1);
    expect(undo.action).toBe("loop.undo");
    expect(loop.aborted).toEqual([{ runId: run, call: call.call }]);
    expect(await bed.query("SELECT kind FROM cairn.history ORDER BY number")).toEqual([
      { kind: "start" },
      { kind: "cancel" },
    ]);
    await phase(bed, run, "cancelling");
    loop.answer(call, "too late");
    loop.answer(undo, 1);
    expect(await loop.end(run)).toMatchObject({ status: "cancelled", value: expect.stringContaining("enough") });
    expect(await statusOf(bed, run)).toBe("cancelled");
  });

  it("of a parked run wakes it", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(waitsUndoes, 1);
    await phase(bed, run, "waiting");
    await cancel(bed, loop, run);
    loop.answer(await loop.call(0), 1);
    expect(await loop.end(run)).toMatchObject({ status: "cancelled" });
  });

  it("twice is cancelled once: compensations run once, and the first reason stays", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoesWhenStopped, 1);
    await loop.call(0);
    await cancel(bed, loop, run, "first");
    const undo = await loop.call(1);
    await cancel(bed, loop, run, "second");
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox")).length === 0);
    loop.answer(undo, 1);
    expect(await loop.end(run)).toMatchObject({ status: "cancelled", value: expect.stringContaining("first") });
    expect(loop.dispatched).toHaveLength(2);
    expect(await cancel(bed, loop, run)).toBe(false);
  });

  it("while a failed run compensates changes nothing: it ends as failed, with its own error", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoing, 1);
    loop.answer(await loop.call(0), 1);
    const undo = await loop.call(1);
    await cancel(bed, loop, run);
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox")).length === 0);
    expect(loop.aborted).toEqual([]);
    loop.answer(undo, 1);
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("attempt 1 failed") });
  });

  it("goes through children to their calls, held or not", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(parentOf, 1);
    const call = await loop.call(0);
    expect(call.runId).not.toBe(run);
    await cancel(bed, loop, run);
    await loop.end(run);
    expect(await loop.end(call.runId)).toMatchObject({ status: "cancelled" });
    expect(loop.aborted).toEqual([{ runId: call.runId, call: call.call }]);
    expect(await bed.query("SELECT DISTINCT status FROM cairn.runs")).toEqual([{ status: "cancelled" }]);
  });

  it("of a child alone is an error that its parent sees", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(parentOf, 1);
    const { runId: child } = await loop.call(0);
    await cancel(bed, loop, child);
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("RunCancelled") });
  });

  it("of an unstarted child tells its parent too", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { heldMax: 1 });
    const run = await loop.start(parentOf, 1);
    const child = await until(
      async () => (await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent IS NOT NULL"))[0]?.id,
    );
    await cancel(bed, loop, child);
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("RunCancelled") });
  });
});

/** Of a process that was told the time before others were. */
class LateClock extends DatabaseClock {
  readonly #lateMs: number;

  constructor(lateMs: number) {
    super(() => performance.now());
    this.#lateMs = lateMs;
  }

  override now(): number {
    return super.now() - this.#lateMs;
  }
}

describe("the deadline", () => {
  const inAMinute = (): { deadline: number } => ({ deadline: Date.now() + 60_000 });

  it("cancels a run as a user would, compensations and all, but it ends failed with DeadlineExceeded", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoesWhenStopped, 1, inAMinute());
    const call = await loop.call(0);
    await bed.advance(61_000);
    loop.runloop.poke();
    const undo = await loop.call(1);
    expect(undo.action).toBe("loop.undo");
    expect(loop.aborted).toEqual([{ runId: run, call: call.call }]);
    loop.answer(undo, 1);
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("DeadlineExceeded") });
    expect(await bed.query("SELECT FROM cairn.outbox_events WHERE type = 'cairn.run.failed.v1'")).toHaveLength(1);
  });

  it("is remembered when the owner changes while the run compensates", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoesWhenStopped, 1, inAMinute());
    await loop.call(0);
    await bed.advance(61_000);
    loop.runloop.poke();
    const undo = await loop.call(1);
    await loop.runloop.close();
    const next = await openLoop(bed);
    next.runloop.poke();
    await until(async () => next.adopted[0]);
    next.answer(undo, 1);
    expect(await next.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("DeadlineExceeded") });
  });

  it("wakes a run that is parked, or paused, and fails one that never began without beginning it", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const deadline = Date.now() + 60_000;
    const waits = await loop.start(waitsUndoes, 1, { deadline });
    await phase(bed, waits, "waiting");
    const paused = await loop.start(undoesWhenStopped, 1, { deadline });
    await loop.call(0);
    await bed.query("SELECT cairn.send_mail($1, 'pause', NULL, NULL)", paused);
    loop.runloop.poke();
    await phase(bed, paused, "paused");
    await loop.runloop.close();
    const [late] = (await startUnowned(bed, oneCall, [1], { deadline })) as [string];
    const next = await openLoop(bed);
    await bed.advance(61_000);
    expect(await wakeRuns(next.control)).toMatchObject({ count: 2 });
    next.runloop.poke();
    expect(await next.end(late)).toMatchObject({
      status: "failed",
      value: expect.stringContaining("DeadlineExceeded"),
    });
    next.answer(await next.call(0), 1);
    next.answer(await next.call(1), 1);
    expect(await next.end(waits)).toMatchObject({ status: "failed" });
    expect(await next.end(paused)).toMatchObject({ status: "failed" });
    expect(await bed.query("SELECT FROM cairn.history WHERE run_id = $1", late)).toEqual([]);
  });

  it("that passes while a cancelled run compensates changes nothing: it ends as cancelled", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const { deadline } = inAMinute();
    const run = await loop.start(undoesWhenStopped, 1, { deadline });
    await loop.call(0);
    await cancel(bed, loop, run);
    const undo = await loop.call(1);
    const witness = await loop.start(oneCall, 1, { deadline: deadline + 1 });
    await bed.advance(61_000);
    loop.runloop.poke();
    await loop.end(witness);
    loop.answer(undo, 1);
    expect(await loop.end(run)).toMatchObject({ status: "cancelled" });
  });

  it.each([
    ["right", 0],
    ["late", 10_000],
  ])("that comes before the next attempt ends the run when it has passed, by a clock that is %s", async (_, lateMs) => {
    const bed = await testBed();
    const loop = await openLoop(bed, { random: () => 1 });
    const run = await loop.start(undoing, 1, { ...inAMinute(), maxAttempts: 50 });
    // The next attempt is due long after the deadline.
    await bed.query("UPDATE cairn.queue SET attempt = 20");
    await loop.runloop.close();
    const next = await openLoop(bed, {
      random: () => 1,
      adopt: (calls, runloop) => runloop.strangers(calls),
      clock: new LateClock(lateMs),
    });
    next.runloop.poke();
    next.answer(await next.call(0), 1);
    next.answer(await next.call(1), 1);
    const [row] = await until(async () => {
      const rows = await bed.query<{ late: boolean; retry: boolean }>(
        `SELECT q.wake_at > r.deadline AS late, (e.data->>'retryAt')::float8 / 1000 > extract(epoch FROM r.deadline) AS retry
        FROM cairn.queue AS q JOIN cairn.runs AS r ON r.id = q.run_id JOIN cairn.run_events AS e ON e.run_id = r.id
        WHERE q.state = 'parked' AND e.kind = 'retried'`,
      );
      return rows.length > 0 && rows;
    });
    expect(row).toEqual({ late: false, retry: true });
    await bed.advance(61_000);
    await wakeRuns(next.control);
    next.runloop.poke();
    expect(await next.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("DeadlineExceeded") });
    expect(next.dispatched).toHaveLength(2);
  });

  it("allows no further attempt", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoesWhenStopped, 1, { ...inAMinute(), maxAttempts: 5 });
    await loop.call(0);
    await bed.advance(61_000);
    loop.runloop.poke();
    loop.answer(await loop.call(1), 1);
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("DeadlineExceeded") });
  });
});
