import { describe, expect, it } from "vitest";
import { sendMail } from "../../src/store/mail.ts";
import { releaseOwner } from "../../src/store/owners.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connect, openLoop, outcomeOf } from "../support/test-runloop.ts";
import { fan, listening, oneCall, spinsBesideCall, twoCalls } from "../workflows/runloop.ts";

describe("I8: calls outlive owners", () => {
  it("a call that nobody runs is recorded as lost and dispatched again at once, with the same key and another number", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(oneCall, 1);
    const call = await first.call(0);
    await first.runloop.close();
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.runloop.poke();
    expect(await next.call(0)).toEqual({ ...call, attempt: 2 });
    expect(await bed.query("SELECT attempt, outcome, retry_at FROM cairn.step_attempts")).toEqual([
      { attempt: 1, outcome: "lost", retry_at: null },
    ]);
    next.fail(next.dispatched[0]!, "the first failure", { attempts: 2, baseMs: 1, capMs: 1 });
    expect(await next.call(1)).toMatchObject({ attempt: 3 });
    next.answer(next.dispatched[1]!, 1);
    expect(await next.end(run)).toMatchObject({ status: "succeeded" });
  });

  it("lost tries have a limit of their own: the tenth fails the call", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    for (let lost = 1; lost <= 10; lost++) {
      loop.runloop.strangers([await loop.call(lost - 1)]);
    }
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("ActionLost") });
    expect(await bed.query("SELECT FROM cairn.step_attempts WHERE outcome = 'lost'")).toHaveLength(10);
    expect(loop.dispatched).toHaveLength(10);
  });

  it("1,000 lost calls of one run are all dispatched again", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(fan, 1_500);
    await first.call(999);
    await first.runloop.close();
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.runloop.poke();
    let answered = 0;
    await until(async () => {
      for (; answered < next.dispatched.length; answered++) next.answer(next.dispatched[answered]!, answered);
      return next.ended.length === 1;
    });
    expect(next.ended[0]).toMatchObject({ runId: run, status: "succeeded", value: "1500" });
  });

  it("an outcome for a run that is held elsewhere goes through its mailbox, and is acknowledged once it is there", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(oneCall, 1);
    const call = await first.call(0);
    const elsewhere = await openLoop(bed);
    elsewhere.answer(call, "from elsewhere");
    await until(async () => elsewhere.acknowledged.length === 1);
    expect(await bed.query("SELECT kind, call FROM cairn.mailbox")).toEqual([{ kind: "outcome", call: call.call }]);
    first.runloop.poke();
    expect(await first.end(run)).toMatchObject({ status: "succeeded", value: '"from elsewhere"' });
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("a result for a call that is not open is refused: acknowledged, and nothing is written", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(twoCalls, 1);
    const call = await loop.call(0);
    loop.answer(call, 1);
    await loop.call(1);
    loop.answer(call, "again");
    loop.answer({ ...call, call: "99.9" }, "never asked");
    await until(async () => loop.acknowledged.length === 3);
    expect(await bed.query("SELECT FROM cairn.history")).toHaveLength(2);
    expect(await bed.query("SELECT FROM cairn.step_attempts")).toHaveLength(1);
    loop.answer(loop.dispatched[1]!, 2);
    expect(await loop.end(run)).toMatchObject({ value: "[1,2]" });
    loop.answer(loop.dispatched[1]!, 2);
    await until(async () => loop.acknowledged.length === 5);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("a failure that is reported twice counts once, and the late failure of a lost try not at all", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    const call = await loop.call(0);
    const retry = { attempts: 2, baseMs: 1, capMs: 1 };
    loop.fail(call, "once", retry);
    loop.fail(call, "once", retry);
    const second = await loop.call(1);
    loop.fail(call, "once", retry);
    loop.runloop.strangers([second]);
    const third = await loop.call(2);
    loop.fail(second, "late", retry);
    await until(async () => loop.acknowledged.length === 4);
    loop.answer(third, "third");
    expect(await loop.end(run)).toMatchObject({ status: "succeeded", value: '"third"' });
    expect(await bed.query("SELECT attempt, outcome FROM cairn.step_attempts ORDER BY attempt")).toEqual([
      { attempt: 1, outcome: "failed" },
      { attempt: 2, outcome: "lost" },
      { attempt: 3, outcome: "succeeded" },
    ]);
    expect(loop.dispatched).toHaveLength(3);
  });

  it("a call whose outcome comes into the mail while its run is being claimed is not lost", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(oneCall, 1);
    const call = await first.call(0);
    await releaseOwner(first.control, first.owner);
    const client = await connect(bed);
    const next = await openLoop(bed, {
      // The mail was read before; whoever had the outcome has put it there and forgotten it.
      adopt: (calls, runloop) => {
        const value = JSON.stringify(outcomeOf(call, "result", '"kept"'));
        const letter = { runId: run, kind: "outcome" as const, call: call.call, name: null, value };
        void sendMail(client, [letter]).then(() => runloop.strangers(calls));
      },
    });
    next.runloop.poke();
    expect(await next.end(run)).toMatchObject({ status: "succeeded", value: '"kept"' });
    expect(next.dispatched).toEqual([]);
    expect(await bed.query("SELECT attempt, outcome FROM cairn.step_attempts")).toEqual([
      { attempt: 1, outcome: "succeeded" },
    ]);
  });

  it("an outcome that waits behind more letters than are read in one go is found before its call is lost", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(spinsBesideCall, { count: 1_200, rounds: 0 });
    const call = await first.call(0);
    await releaseOwner(first.control, first.owner);
    const client = await connect(bed);
    const signal = { runId: run, kind: "signal" as const, call: null, name: "news" };
    await sendMail(
      client,
      Array.from({ length: 1_200 }, (_, n) => ({ ...signal, value: `${n}` })),
    );
    const value = JSON.stringify(outcomeOf(call, "result", '"kept"'));
    await sendMail(client, [{ runId: run, kind: "outcome", call: call.call, name: null, value }]);
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.runloop.poke();
    expect(await next.end(run)).toMatchObject({ status: "succeeded" });
    expect(next.dispatched).toEqual([]);
  });

  it("a failure that was counted before and is reported again leaves the next try planned, through a change of owner", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(oneCall, 1);
    const call = await first.call(0);
    const retry = { attempts: 3, baseMs: 500, capMs: 500 };
    first.fail(call, "no", retry);
    await until(async () => (await bed.query("SELECT FROM cairn.failed_attempts")).length === 1);
    // It is committed, and whoever was to be told is gone: so it comes again, by mail.
    await releaseOwner(first.control, first.owner);
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.fail(call, "no", retry);
    await until(async () => next.acknowledged.length === 1);
    next.runloop.poke();
    expect(await next.call(0)).toMatchObject({ runId: run, attempt: 2 });
    next.answer(await next.call(0), "done");
    expect(await next.end(run)).toMatchObject({ value: '"done"' });
  });

  it("the failure of a try that was given up, waiting in the mail when its run is claimed, does not stand for the next", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(oneCall, 1);
    const call = await first.call(0);
    first.runloop.strangers([call]);
    expect(await first.call(1)).toMatchObject({ attempt: 2 });
    await releaseOwner(first.control, first.owner);
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.fail(call, "late", { attempts: 3, baseMs: 1, capMs: 1 });
    await until(async () => next.acknowledged.length === 1);
    next.runloop.poke();
    expect(await next.call(0)).toMatchObject({ runId: run, attempt: 3 });
  });

  it("of a try that has failed in the meantime, it is too late to be lost: the next one is made once", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await loop.start(oneCall, 1);
    const call = await loop.call(0);
    loop.fail(call, "no", { attempts: 3, baseMs: 1, capMs: 1 });
    const second = await loop.call(1);
    expect(second.attempt).toBe(2);
    loop.runloop.strangers([call]);
    loop.answer(second, "done");
    expect(await loop.end(call.runId)).toMatchObject({ value: '"done"' });
    expect(loop.dispatched).toHaveLength(2);
    expect(await bed.query("SELECT FROM cairn.step_attempts WHERE outcome = 'lost'")).toEqual([]);
  });

  it("the result of a try that was given up as lost is taken, since it is one, and the other try is given up", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    const call = await loop.call(0);
    loop.runloop.strangers([call]);
    await loop.call(1);
    loop.answer(call, "late");
    expect(await loop.end(run)).toMatchObject({ status: "succeeded", value: '"late"' });
    expect(loop.aborted).toMatchObject([{ runId: run, call: call.call }]);
    expect(await bed.query("SELECT attempt, outcome FROM cairn.step_attempts ORDER BY attempt, outcome")).toEqual([
      { attempt: 1, outcome: "lost" },
      { attempt: 1, outcome: "succeeded" },
      { attempt: 2, outcome: "lost" },
    ]);
  });

  it("a next try that was planned stays planned when the owner changes", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(oneCall, 1);
    first.fail(await first.call(0), "no", { attempts: 3, baseMs: 60_000, capMs: 60_000 });
    await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE state = 'parked'")).length === 1);
    expect(await bed.query("SELECT phase, waiting_for, last_error FROM cairn.workflow_run")).toEqual([
      { phase: "waiting", waiting_for: "the next try of loop.work", last_error: "Error: no" },
    ]);
    await bed.advance(61_000);
    expect(await wakeRuns(await connect(bed))).toMatchObject({ count: 1 });
    const next = await openLoop(bed);
    next.runloop.poke();
    expect(await next.call(0)).toMatchObject({ runId: run, attempt: 2 });
    expect(next.adopted).toEqual([]);
  });

  it("releasing an owner twice, or one that never was, changes nothing", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await loop.start(listening, 1);
    const client = await connect(bed);
    await releaseOwner(client, loop.owner);
    await releaseOwner(client, loop.owner);
    expect(await bed.query("SELECT DISTINCT owner FROM cairn.queue")).toEqual([{ owner: null }]);
  });
});
