import { describe, expect, it } from "vitest";
import { keepOwners, releaseOwner } from "../../src/store/owners.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connect, lockWith, openLoop, outcomeOf, startUnowned, untilBlocked } from "../support/test-runloop.ts";
import {
  besideSleep,
  bothCaught,
  catching,
  chatty,
  oneCall,
  parentOf,
  telling,
  tellsNul,
  twoCalls,
} from "../workflows/runloop.ts";

/** Postgres reads JSON by recursion, and gives up. */
const TOO_DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

describe("I1: commit before dispatch", () => {
  it("dispatches nothing while the input that asked for it is not durable", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    const run = await loop.start(oneCall, 1);
    await untilBlocked(bed);
    expect(loop.dispatched).toEqual([]);
    await release();
    expect(await loop.call(0)).toMatchObject({ runId: run, action: "loop.work", args: "[1]", attempt: 1 });
  });

  it("acknowledges no outcome, and tells nobody of the end, before they are durable", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    const call = await loop.call(0);
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    loop.answer(call, "done");
    await untilBlocked(bed);
    expect(loop.acknowledged).toEqual([]);
    expect(loop.ended).toEqual([]);
    await release();
    expect(await loop.end(run)).toMatchObject({ runId: run, status: "succeeded", value: '"done"', trace: null });
    expect(loop.acknowledged).toEqual([{ runId: run, call: call.call, attempt: 1 }]);
  });
});

describe("I2: one transaction a transition", () => {
  it("writes history, child, event and queue row of a transition together", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { heldMax: 1 });
    const run = await loop.start(parentOf, 1);
    const writers = `SELECT xmin::text AS x FROM cairn.history WHERE run_id = '${run}'
      UNION SELECT xmin::text FROM cairn.runs WHERE parent = '${run}'
      UNION SELECT q.xmin::text FROM cairn.queue AS q JOIN cairn.runs AS r ON r.id = q.run_id WHERE r.parent = '${run}'
      UNION SELECT xmin::text FROM cairn.run_events WHERE kind <> 'created' OR run_id <> '${run}'`;
    await until(async () => (await bed.query("SELECT FROM cairn.history")).length > 0);
    expect(await bed.query(writers)).toHaveLength(1);
  });

  it("commits the outbox with the input that emitted, and the attempt with its result", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(telling, 7);
    loop.answer(await loop.call(0), 1);
    await loop.end(run);
    const transactions = await bed.query(
      `SELECT (SELECT xmin::text FROM cairn.outbox_events) = (SELECT xmin::text FROM cairn.history WHERE number = 1) AS emitted,
        (SELECT attempt = 1 AND action IS NOT NULL FROM cairn.history WHERE number = 2) AS tried,
        (SELECT xmin::text FROM cairn.runs) = (SELECT xmin::text FROM cairn.history WHERE number = 2) AS ended`,
    );
    expect(transactions).toEqual([{ emitted: true, tried: true, ended: true }]);
  });

  it("commits what is ready while others are being written in one transaction (group commit)", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const runs = await Promise.all(Array.from({ length: 200 }, (_, n) => loop.start(oneCall, n)));
    await loop.call(199);
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    for (const call of loop.dispatched.slice(0, 2)) {
      loop.answer(call, 0);
      await untilBlocked(bed, loop.dispatched.indexOf(call) + 1);
    }
    for (const call of loop.dispatched.slice(2)) loop.answer(call, 0);
    await release();
    await until(async () => loop.ended.length === runs.length);
    const [{ transactions }] = (await bed.query<{ transactions: number }>(
      "SELECT count(DISTINCT xmin::text)::int AS transactions FROM cairn.history WHERE number = 2",
    )) as [{ transactions: number }];
    // Two that stood in the lock, and the others: in one, or in a few if delivering them took more than a turn.
    expect(transactions).toBeGreaterThanOrEqual(3);
    expect(transactions).toBeLessThanOrEqual(10);
  });
});

describe("a step that throws, by a mistake of ours", () => {
  it("stops its run for an operator, alone; it can be cancelled", async () => {
    const bed = await testBed();
    let broken = true;
    const random = (): number => {
      if (broken) throw new Error("a mistake");
      return 0;
    };
    const loop = await openLoop(bed, { random });
    const run = await loop.start(oneCall, 1);
    const other = await loop.start(oneCall, 2);
    const calls = await loop.calls(2);
    const [first, second] = [run, other].map((id) => calls.find(({ runId }) => runId === id));
    // How long to wait is a matter of chance.
    loop.fail(first!, "no", { attempts: 3, baseMs: 1, capMs: 1 });
    const stopped = await until(
      async () => (await bed.query("SELECT phase, last_error FROM cairn.workflow_run WHERE phase = 'paused'"))[0],
    );
    expect(stopped).toEqual({ phase: "paused", last_error: "Error: a mistake" });
    // What it had taken is not lost.
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox WHERE kind = 'outcome'")).length === 1);
    loop.answer(second!, "fine");
    expect(await loop.end(other)).toMatchObject({ status: "succeeded" });
    expect(loop.lost).toEqual([]);
    expect(loop.warnings).toEqual([expect.stringContaining("was stopped")]);
    expect(loop.warnedOf).toEqual([{ runId: run }]);
    broken = false;
    await bed.query("SELECT cairn.cancel_run($1)", run);
    await wakeRuns(loop.control);
    loop.runloop.poke();
    expect(await loop.end(run)).toMatchObject({ status: "cancelled" });
  });
});

describe("a run that is stopped for an operator", () => {
  it("by an error whose text Postgres cannot hold shows what can be shown of it", async () => {
    const bed = await testBed();
    const random = (): number => {
      throw new Error("NUL \0, half of a pair \ud83d, and none \udc00");
    };
    const loop = await openLoop(bed, { random });
    await loop.start(oneCall, 1);
    loop.fail(await loop.call(0), "no", { attempts: 3, baseMs: 1, capMs: 1 });
    const stopped = await until(
      async () => (await bed.query("SELECT last_error FROM cairn.workflow_run WHERE phase = 'paused'"))[0],
    );
    const shown = "Error: NUL \u2400, half of a pair \ufffd, and none \ufffd";
    expect(stopped).toEqual({ last_error: shown });
    expect(await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'stopped'")).toEqual([{ data: shown }]);
    expect(loop.lost).toEqual([]);
  });
});

describe("I4: outcomes of a commit", () => {
  it("without the fence's row the commit has not happened: everything is dropped, nothing dispatched", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(twoCalls, 1);
    const call = await loop.call(0);
    await bed.query("DELETE FROM cairn.owners");
    loop.answer(call, 1);
    await until(async () => loop.lost.length === 1);
    expect(String(loop.lost[0])).toContain("OwnershipLost");
    expect(loop.runloop.held).toBe(0);
    expect(loop.dispatched).toHaveLength(1);
    expect(await bed.query("SELECT number FROM cairn.history WHERE run_id = $1", run)).toEqual([{ number: 1 }]);
  });

  it("a backend that is ended during the commit: nothing is dispatched, and the next owner goes on from what is there", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    const run = await loop.start(oneCall, 1);
    const [pid] = await untilBlocked(bed);
    await bed.query("SELECT pg_terminate_backend($1)", pid);
    await until(async () => loop.lost.length === 1);
    await release();
    expect(loop.dispatched).toEqual([]);

    const next = await openLoop(bed);
    await releaseOwner(next.control, loop.owner);
    next.runloop.poke();
    expect(await next.call(0)).toMatchObject({ runId: run, attempt: 1 });
    expect(await bed.query("SELECT number FROM cairn.history")).toEqual([{ number: 1 }]);
  });

  it("a commit whose answer is lost: nothing is dispatched under the old id, and the input is not taken twice", async () => {
    const bed = await testBed();
    const proxy = await cuttingProxy(bed.url);
    const loop = await openLoop(bed, { commitUrl: proxy.url });
    proxy.loseNextAnswer();
    const run = await loop.start(oneCall, 1);
    await until(async () => loop.lost.length === 1);
    await until(async () => (await bed.query("SELECT FROM cairn.history")).length === 1);
    expect(loop.dispatched).toEqual([]);

    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    await releaseOwner(next.control, loop.owner);
    next.runloop.poke();
    next.answer(await next.call(0), "once");
    expect(await next.end(run)).toMatchObject({ status: "succeeded", value: '"once"' });
    expect(await bed.query("SELECT number, kind FROM cairn.history ORDER BY number")).toEqual([
      { number: 1, kind: "start" },
      { number: 2, kind: "result" },
    ]);
  });

  it("a value that the database refuses fails its own run alone; its neighbours in the batch commit", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const runs = await Promise.all(Array.from({ length: 50 }, (_, n) => loop.start(catching, n)));
    await loop.call(49);
    const bad = loop.dispatched[23]!;
    loop.runloop.outcomes(
      loop.dispatched.map((call) => outcomeOf(call, "result", call === bad ? TOO_DEEP : JSON.stringify(call.args))),
    );
    await until(async () => loop.ended.length === runs.length);
    const values = new Map(loop.ended.map(({ runId, value }) => [runId, value]));
    expect(values.get(bad.runId)).toBe('"caught NotStorable"');
    expect([...values.values()].filter((value) => value === '"stored"')).toHaveLength(49);
    expect(loop.lost).toEqual([]);
  });

  it("of two results that come together, only the one that is refused becomes an error", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(bothCaught);
    const [first, second, third] = [await loop.call(0), await loop.call(1), await loop.call(2)];
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    loop.answer(first, 1);
    await untilBlocked(bed);
    loop.runloop.outcomes([outcomeOf(second, "result", "1"), outcomeOf(third, "result", TOO_DEEP)]);
    await release();
    expect(await loop.end(run)).toMatchObject({ value: '["fulfilled","fulfilled","rejected"]' });
  });

  it("a run that writes what the database refuses, and no result is to blame, fails with NotStorable at once", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(tellsNul, undefined, { maxAttempts: 3 });
    const other = await loop.start(oneCall, 1);
    expect(await loop.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("NotStorable") });
    expect(await loop.call(0)).toMatchObject({ runId: other });
  });

  it("a run whose result was refused keeps its sleeps, its other calls, and what came meanwhile", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(besideSleep);
    const [first, second] = [await loop.call(0), await loop.call(1)];
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    loop.runloop.outcomes([outcomeOf(first, "result", TOO_DEEP)]);
    await untilBlocked(bed);
    loop.answer(second, 2);
    await release();
    expect(await loop.end(run)).toMatchObject({ status: "succeeded", value: '["rejected","slept"]' });
    expect(loop.dispatched).toHaveLength(2);
  });

  it("a lock timeout fails nobody: the commit is tried again, others are committed meanwhile", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { lockTimeoutMs: 50 });
    const runs = await Promise.all(Array.from({ length: 8 }, (_, n) => loop.start(chatty, n)));
    await loop.call(7);
    const [locked, ...free] = loop.dispatched;
    const release = await lockWith(bed, `SELECT FROM cairn.queue WHERE run_id = '${locked!.runId}' FOR UPDATE`);
    loop.runloop.outcomes([locked!, ...free].map((call) => outcomeOf(call, "result", "1")));
    await until(async () => loop.ended.length === runs.length - 1);
    expect(loop.ended.map(({ runId }) => runId)).not.toContain(locked!.runId);
    await release();
    expect(await loop.end(locked!.runId)).toMatchObject({ status: "succeeded" });
    expect(loop.lost).toEqual([]);
    expect(await bed.query("SELECT DISTINCT status FROM cairn.runs")).toEqual([{ status: "succeeded" }]);
  });
});

describe("I5: heartbeats", () => {
  it("cost one row per owner, whatever it holds", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await startUnowned(
      bed,
      oneCall,
      Array.from({ length: 500 }, (_, n) => n),
    );
    loop.runloop.poke();
    await loop.call(499);
    const writes = "SELECT xmin::text FROM cairn.queue UNION ALL SELECT xmin::text FROM cairn.runs ORDER BY 1";
    const before = await bed.query(writes);
    const result = await keepOwners(await connect(bed), [loop.owner]);
    expect(result).toEqual([loop.owner]);
    expect(await bed.query(writes)).toEqual(before);
  });
});
