import { describe, expect, it } from "vitest";
import type { Dispatch } from "../../src/runloop/outside.ts";
import { takeOver } from "../../src/store/owners.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, openLoop, startUnowned, type TestLoop } from "../support/test-runloop.ts";
import { listening, oneCall, parentOf, sleepThenWork, twoCalls } from "../workflows/runloop.ts";

async function tell(bed: TestBed, loop: TestLoop, run: string, kind: "pause" | "resume"): Promise<void> {
  await bed.query("SELECT cairn.send_mail($1, $2, NULL, NULL)", run, kind);
  await wakeRuns(loop.control);
  loop.runloop.poke();
}

async function phase(bed: TestBed, run: string, wanted: string): Promise<void> {
  await until(
    async () => (await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 AND phase = $2", run, wanted)).length === 1,
  );
}

async function pause(bed: TestBed, loop: TestLoop, run: string): Promise<void> {
  await tell(bed, loop, run, "pause");
  await phase(bed, run, "paused");
}

/** A run whose first call is under way. */
async function inCall(
  workflow: unknown,
): Promise<{ readonly bed: TestBed; readonly loop: TestLoop; readonly run: string; readonly call: Dispatch }> {
  const bed = await testBed();
  const loop = await openLoop(bed);
  const run = await loop.start(workflow, 1);
  return { bed, loop, run, call: await loop.call(0) };
}

describe("pause", () => {
  it("with a call in flight: its result waits in the mailbox, and after resume there is no second execution", async () => {
    const { bed, loop, run, call } = await inCall(twoCalls);
    await pause(bed, loop, run);
    expect(loop.aborted).toEqual([]);
    loop.answer(call, 1);
    await until(async () => loop.acknowledged.length === 1);
    expect(await wakeRuns(loop.control)).toMatchObject({ count: 0 });
    loop.runloop.poke();
    expect(await bed.query("SELECT FROM cairn.history")).toHaveLength(1);
    expect(await bed.query("SELECT kind FROM cairn.mailbox")).toEqual([{ kind: "outcome" }]);
    await tell(bed, loop, run, "resume");
    loop.answer(await loop.call(1), 2);
    expect(await loop.end(run)).toMatchObject({ value: "[1,2]" });
    expect(loop.dispatched).toHaveLength(2);
    expect(loop.adopted).toEqual([]);
  });

  it("with a call that is still in flight when it is resumed: the call is adopted, not made again", async () => {
    const { bed, loop, run, call } = await inCall(oneCall);
    await pause(bed, loop, run);
    await tell(bed, loop, run, "resume");
    expect(await until(async () => loop.adopted[0])).toEqual(call);
    loop.answer(call, 1);
    expect(await loop.end(run)).toMatchObject({ status: "succeeded" });
    expect(loop.dispatched).toHaveLength(1);
  });

  it("of a run that sleeps: it sleeps on when it is resumed, and wakes at once if it is time", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(sleepThenWork, 60_000);
    await phase(bed, run, "sleeping");
    await pause(bed, loop, run);
    await tell(bed, loop, run, "resume");
    await phase(bed, run, "sleeping");
    await pause(bed, loop, run);
    await bed.advance(120_000);
    expect(await wakeRuns(loop.control)).toMatchObject({ count: 0 });
    expect(loop.dispatched).toEqual([]);
    await tell(bed, loop, run, "resume");
    expect((await loop.call(0)).runId).toBe(run);
  });

  it("before the run has begun: it does not begin until it is resumed", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, oneCall, [1])) as [string];
    const loop = await openLoop(bed);
    await pause(bed, loop, run);
    expect(await bed.query("SELECT FROM cairn.history")).toEqual([]);
    await tell(bed, loop, run, "resume");
    loop.answer(await loop.call(0), 1);
    expect(await loop.end(run)).toMatchObject({ status: "succeeded" });
  });

  it("twice and resume once goes on; resume of a run that is not paused changes nothing", async () => {
    const { bed, loop, run, call } = await inCall(oneCall);
    await tell(bed, loop, run, "resume");
    await pause(bed, loop, run);
    await tell(bed, loop, run, "pause");
    await tell(bed, loop, run, "resume");
    await until(async () => loop.adopted.length > 0);
    loop.answer(call, 1);
    expect(await loop.end(run)).toMatchObject({ status: "succeeded" });
  });

  it("of a run can be cancelled: it is not resumed for that", async () => {
    const { bed, loop, run, call } = await inCall(twoCalls);
    await pause(bed, loop, run);
    await bed.query("SELECT cairn.cancel_run($1)", run);
    await wakeRuns(loop.control);
    loop.runloop.poke();
    expect(await loop.end(run)).toMatchObject({ status: "cancelled" });
    expect(loop.aborted).toEqual([{ runId: run, call: call.call }]);
    expect(loop.dispatched).toHaveLength(1);
  });
});

interface DeletedRow {
  readonly status: string;
  readonly reason: string | null;
}

async function deleted(bed: TestBed, run: string): Promise<DeletedRow[]> {
  return bed.query<DeletedRow & { [key: string]: unknown }>(
    "SELECT status, delete_reason AS reason FROM cairn.workflow_run WHERE id = $1 AND deleted_at IS NOT NULL",
    run,
  );
}

describe("soft delete", () => {
  it("of a run that nobody holds: it is never claimed, keeps its status, and its key is free again", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, oneCall, [1], { idempotencyKey: "once" })) as [string];
    expect(await bed.query("SELECT cairn.delete_run($1, 'a mistake') AS done", run)).toEqual([{ done: true }]);
    expect(await deleted(bed, run)).toEqual([{ status: "pending", reason: "a mistake" }]);
    const loop = await openLoop(bed);
    loop.runloop.poke();
    const other = await loop.start(oneCall, 1, { idempotencyKey: "once" });
    expect((await loop.call(0)).runId).toBe(other);
    expect(loop.runloop.held).toBe(1);
    expect(await bed.query("SELECT cairn.delete_run($1) AS done", run)).toEqual([{ done: false }]);
  });

  it("of a run that is held: its owner lets go, aborts its calls, and writes nothing more", async () => {
    const { bed, loop, run, call } = await inCall(twoCalls);
    await bed.query("SELECT cairn.delete_run($1, 'enough')", run);
    loop.runloop.poke();
    expect(await loop.end(run)).toMatchObject({ status: "deleted" });
    expect(loop.aborted).toEqual([{ runId: run, call: call.call }]);
    loop.answer(call, 1);
    await until(async () => loop.acknowledged.length === 1);
    expect(await bed.query("SELECT FROM cairn.history")).toHaveLength(1);
    expect(await deleted(bed, run)).toEqual([{ status: "pending", reason: "enough" }]);
    expect(await bed.query("SELECT kind FROM cairn.run_events ORDER BY id")).toEqual([
      { kind: "created" },
      { kind: "started" },
      { kind: "deleted" },
    ]);
  });

  it("of a run whose owner goes down before it hears of it: the next one does not go on with it", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(twoCalls, 1);
    await loop.call(0);
    await bed.query("SELECT cairn.delete_run($1)", run);
    await bed.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 ms'");
    await takeOver(await connect(bed));
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.runloop.poke();
    expect(await next.end(run)).toMatchObject({ status: "deleted" });
    expect(next.dispatched).toEqual([]);
  });

  it("of a run that has ended keeps status and result", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    loop.answer(await loop.call(0), 5);
    await loop.end(run);
    expect(await bed.query("SELECT cairn.delete_run($1, 'old') AS done", run)).toEqual([{ done: true }]);
    expect(await deleted(bed, run)).toEqual([{ status: "succeeded", reason: "old" }]);
    expect(await bed.query("SELECT result FROM cairn.runs")).toEqual([{ result: 5 }]);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("of a run that is held deletes the children it waits for, and aborts their calls", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(parentOf, 1);
    const { runId: child, call } = await loop.call(0);
    await bed.query("SELECT cairn.delete_run($1)", run);
    loop.runloop.poke();
    await loop.end(run);
    expect(await loop.end(child)).toMatchObject({ status: "deleted" });
    expect(loop.aborted).toEqual([{ runId: child, call }]);
    expect(await deleted(bed, child)).toHaveLength(1);
    expect(await bed.query("SELECT FROM cairn.queue")).toEqual([]);
    expect(await bed.query("SELECT FROM cairn.run_events WHERE run_id = $1 AND kind = 'deleted'", child)).toHaveLength(
      1,
    );
  });

  it("of a run that is parked deletes the children it waits for too", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(parentOf, 1);
    const { runId: child } = await loop.call(0);
    await phase(bed, run, "waiting");
    await bed.query("SELECT cairn.delete_run($1)", run);
    loop.runloop.poke();
    expect(await loop.end(child)).toMatchObject({ status: "deleted" });
    expect(await deleted(bed, child)).toEqual([
      { status: "pending", reason: "The run that waited for it was deleted" },
    ]);
  });

  it.each([true, false])("of a child tells the run that waits for it (held: %s)", async (held) => {
    const bed = await testBed();
    const loop = await openLoop(bed, { heldMax: held ? 10 : 1 });
    const run = await loop.start(parentOf, 1);
    const child = await until(
      async () => (await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent IS NOT NULL"))[0]?.id,
    );
    if (held) await loop.call(0);
    await bed.query("SELECT cairn.delete_run($1)", child);
    await wakeRuns(loop.control);
    loop.runloop.poke();
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("was deleted") });
  });

  it("mail that it was sent and did not read becomes undelivered, and no more is taken", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(listening, 1);
    await phase(bed, run, "waiting");
    await bed.query("SELECT cairn.delete_run($1)", run);
    expect(await bed.query("SELECT cairn.signal_run($1, 'news', '1') AS sent", run)).toEqual([{ sent: false }]);
  });
});
