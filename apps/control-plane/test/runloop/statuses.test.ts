import { describe, expect, it } from "vitest";
import { sendMail } from "../../src/store/mail.ts";
import { releaseOwner } from "../../src/store/owners.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, openLoop, startUnowned } from "../support/test-runloop.ts";
import { listening, mourning, oneCall, telling, undoing } from "../workflows/runloop.ts";

interface Row {
  readonly status: string;
  readonly phase: string | null;
  readonly attempt: number;
  readonly last_error: string | null;
  readonly leased_by: string | null;
}

async function view(bed: TestBed, run: string): Promise<Row> {
  const columns = "status, phase, attempt, last_error, leased_by";
  return (
    await bed.query<Row & { [key: string]: unknown }>(`SELECT ${columns} FROM cairn.workflow_run WHERE id = $1`, run)
  )[0]!;
}

async function phase(bed: TestBed, run: string, wanted: string | null): Promise<Row> {
  return until(async () => {
    const row = await view(bed, run);
    return row.phase === wanted && row;
  });
}

describe("the statuses of a run, as the view shows them", () => {
  it("pending → leased → pending (parked) → leased → succeeded", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, listening, [1])) as [string];
    expect(await view(bed, run)).toMatchObject({ status: "pending", phase: "ready", attempt: 1, leased_by: null });
    const loop = await openLoop(bed);
    loop.runloop.poke();
    expect(await phase(bed, run, "waiting")).toMatchObject({ status: "pending", leased_by: null });
    const client = await connect(bed);
    await sendMail(client, [{ runId: run, kind: "signal", call: null, name: "news", value: "1" }]);
    await wakeRuns(client);
    expect(await view(bed, run)).toMatchObject({ status: "pending", phase: "ready" });
    loop.runloop.poke();
    await loop.end(run);
    expect(await view(bed, run)).toEqual({
      status: "succeeded",
      phase: null,
      attempt: 1,
      last_error: null,
      leased_by: null,
    });
    const events = await bed.query("SELECT event_type FROM cairn.workflow_event ORDER BY id");
    expect(events.map(({ event_type }) => event_type as string)).toEqual([
      "created",
      "leased",
      "started",
      "leased",
      "signalled",
      "succeeded",
    ]);
  });

  it("leased while it is held, with who holds it; pending again when it is handed over", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    await loop.call(0);
    expect(await view(bed, run)).toMatchObject({ status: "leased", phase: "running", leased_by: "a test" });
    await loop.runloop.close();
    expect(await view(bed, run)).toMatchObject({ status: "pending", phase: "ready", leased_by: null });
  });

  it("leased → failed: compensating until what was registered is undone, with the error of the body", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoing, 1);
    loop.answer(await loop.call(0), 1);
    const undo = await loop.call(1);
    expect(undo.action).toBe("loop.undo");
    expect(await view(bed, run)).toMatchObject({ status: "leased", phase: "compensating" });
    loop.answer(undo, 1);
    await loop.end(run);
    expect(await view(bed, run)).toMatchObject({ status: "failed", last_error: "RangeError: attempt 1 failed" });
  });

  it("a run in the future is pending and sleeps until then", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, oneCall, [1], { runAt: Date.now() + 60_000 })) as [string];
    expect(await view(bed, run)).toMatchObject({ status: "pending", phase: "sleeping" });
    const loop = await openLoop(bed);
    await bed.advance(61_000);
    expect(await wakeRuns(await connect(bed))).toMatchObject({ count: 1 });
    loop.runloop.poke();
    expect((await loop.call(0)).runId).toBe(run);
  });
});

describe("a run that fails", () => {
  it("puts an event into the outbox, in the transaction that ends it", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    loop.fail(await loop.call(0), "no");
    await loop.end(run);
    const events = await bed.query("SELECT aggregate_id, event_type, payload FROM cairn.outbox_event");
    expect(events).toEqual([
      {
        aggregate_id: run,
        event_type: "cairn.run.failed.v1",
        payload: expect.objectContaining({ type: "loop.one.v1", attempt: 1, lastError: "Error: no" }) as unknown,
      },
    ]);
    expect(
      await bed.query("SELECT r.xmin::text = o.xmin::text AS together FROM cairn.runs AS r, cairn.outbox_events AS o"),
    ).toEqual([{ together: true }]);
  });

  it("succeeding and being cancelled put none; emit() puts one with the input that called it, once", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const told = await loop.start(telling, 7);
    const call = await loop.call(0);
    expect(await bed.query("SELECT type, data FROM cairn.outbox_events")).toEqual([
      { type: "loop.told.v1", data: { n: 7 } },
    ]);
    await loop.runloop.close();
    const next = await openLoop(bed);
    next.runloop.poke();
    await until(async () => next.adopted[0]);
    next.answer(call, 1);
    await next.end(told);
    expect(await bed.query("SELECT FROM cairn.outbox_events")).toHaveLength(1);
  });

  it("starts a run of its dead letter type with payload and error, in the same transaction", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const idle = await loop.start(mourning, { payload: 0, error: null });
    await loop.call(0);
    const run = await loop.start(undoing, 5, { deadLetterType: "loop.mourning.v1", priority: 3 });
    loop.answer(await loop.call(1), 1);
    loop.answer(await loop.call(2), 1);
    const call = await loop.call(3);
    expect(call).toMatchObject({ action: "loop.work", args: "[5]", type: "loop.mourning.v1" });
    loop.answer(call, "buried");
    expect(await loop.end(call.runId)).toMatchObject({ status: "succeeded", value: '[5,true,"buried"]' });
    expect(
      await bed.query(
        `SELECT letter.priority, letter.parent, letter.max_attempts,
          (SELECT h.xmin::text FROM cairn.history AS h WHERE h.run_id = $1 ORDER BY number DESC LIMIT 1)
            = (SELECT e.xmin::text FROM cairn.run_events AS e WHERE e.run_id = letter.id AND kind = 'created') AS together
        FROM cairn.runs AS letter WHERE letter.id = $2`,
        run,
        call.runId,
      ),
    ).toEqual([{ priority: 3, parent: null, max_attempts: 1, together: true }]);
    expect(call.runId).not.toBe(idle);
  });

  it("has no dead letter while attempts are left, nor when it is cancelled", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const options = { deadLetterType: "loop.mourning.v1" };
    await loop.start(mourning, { payload: 0, error: null });
    await loop.call(0);
    const retried = await loop.start(oneCall, 1, { ...options, maxAttempts: 2 });
    loop.fail(await loop.call(1), "no");
    await phase(bed, retried, "sleeping");
    const cancelled = await loop.start(oneCall, 1, options);
    await loop.call(2);
    await bed.query("SELECT cairn.cancel_run($1)", cancelled);
    loop.runloop.poke();
    await loop.end(cancelled);
    expect(await bed.query("SELECT FROM cairn.runs WHERE type = 'loop.mourning.v1'")).toHaveLength(1);
  });

  it.each([
    ["nobody has registered its type", "loop.nobody.v1", "NoHandlerRegistered"],
    ["the letter does not fit its input", "loop.one.v1", "InvalidInput"],
  ])("ends all the same when its dead letter cannot be sent: %s", async (_why, deadLetterType, error) => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1, { deadLetterType });
    loop.fail(await loop.call(0), "no");
    expect(await loop.end(run)).toMatchObject({ status: "failed" });
    const [event] = await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'dead letter refused'");
    expect(JSON.stringify(event)).toContain(error);
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(1);
  });
});

describe("attempts of a workflow", () => {
  it("compensate first, then wait, then begin again from the input; numbers of inputs never go back", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(undoing, 9, { maxAttempts: 2 });
    loop.answer(await loop.call(0), 1);
    const undo = await loop.call(1);
    expect(undo).toMatchObject({ action: "loop.undo", args: "[9]" });
    loop.answer(undo, 1);
    expect(await phase(bed, run, "sleeping")).toMatchObject({
      status: "pending",
      attempt: 2,
      last_error: "RangeError: attempt 1 failed",
    });
    const client = await connect(bed);
    await bed.advance(500);
    expect(await wakeRuns(client)).toMatchObject({ count: 0 });
    await bed.advance(1_000);
    expect(await wakeRuns(client)).toMatchObject({ count: 1 });
    loop.runloop.poke();
    const again = await loop.call(2);
    expect(again).toMatchObject({ action: "loop.work", args: "[9]", attempt: 1 });
    expect(again.call).not.toBe(loop.dispatched[0]!.call);

    // Whoever goes on knows which attempt it is.
    await releaseOwner(client, loop.owner);
    const next = await openLoop(bed);
    next.runloop.poke();
    await until(async () => next.adopted[0]);
    next.answer(again, 1);
    next.answer(await next.call(0), 1);
    expect(await next.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("attempt 2 failed") });
    expect(await view(bed, run)).toMatchObject({ status: "failed", attempt: 2 });
    const history = await bed.query("SELECT number, kind FROM cairn.history ORDER BY number");
    expect(history.map(({ number, kind }) => `${number as number} ${kind as string}`)).toEqual([
      "1 start",
      "2 result",
      "3 result",
      "4 start",
      "5 result",
      "6 result",
    ]);
  });

  it("a run without attempts left fails at once: workflows have one unless told", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    loop.fail(await loop.call(0), "no");
    expect(await loop.end(run)).toMatchObject({ status: "failed" });
    expect(await view(bed, run)).toMatchObject({ attempt: 1, last_error: "Error: no" });
  });

  it.each(["cancel", "delete"])("between two attempts, %s ends the run and it does not begin again", async (how) => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1, { maxAttempts: 2 });
    loop.fail(await loop.call(0), "no");
    await phase(bed, run, "sleeping");
    await bed.query(`SELECT cairn.${how}_run($1)`, run);
    await wakeRuns(await connect(bed));
    loop.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
    expect(await view(bed, run)).toMatchObject({ status: how === "cancel" ? "cancelled" : "pending" });
    expect(await bed.query("SELECT FROM cairn.history WHERE kind = 'start'")).toHaveLength(1);
    expect(loop.dispatched).toHaveLength(1);
  });

  it("between two attempts, signals wait and do not wake it; pause does, and resume lets it begin", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1, { maxAttempts: 2 });
    loop.fail(await loop.call(0), "no");
    await phase(bed, run, "sleeping");
    const client = await connect(bed);
    const letter = { runId: run, call: null, name: null, value: null };
    await sendMail(client, [{ ...letter, kind: "signal", name: "news", value: "1" }]);
    expect(await wakeRuns(client)).toMatchObject({ count: 0 });
    await sendMail(client, [{ ...letter, kind: "pause" }]);
    expect(await wakeRuns(client)).toMatchObject({ count: 1 });
    loop.runloop.poke();
    await phase(bed, run, "paused");
    await bed.advance(60_000);
    expect(await wakeRuns(client)).toMatchObject({ count: 0 });
    await sendMail(client, [{ ...letter, kind: "resume" }]);
    await wakeRuns(client);
    loop.runloop.poke();
    loop.answer(await loop.call(1), "second");
    expect(await loop.end(run)).toMatchObject({ status: "succeeded", value: '"second"' });
  });
});
