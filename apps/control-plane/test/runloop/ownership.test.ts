import { describe, expect, it } from "vitest";
import { Keeper } from "../../src/keeper/keeper.ts";
import { SharedCells } from "../../src/runloop/shared-cells.ts";
import { commitTransitions } from "../../src/store/commit-transitions.ts";
import { takeOver } from "../../src/store/owners.ts";
import { newTransition } from "../../src/store/transition.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, lockWith, openLoop, startUnowned, untilBlocked } from "../support/test-runloop.ts";
import { oneCall, twoCalls } from "../workflows/runloop.ts";

async function crashesOf(bed: TestBed, run: string): Promise<number> {
  const [row] = await bed.query<{ crashes: number }>("SELECT crashes FROM cairn.queue WHERE run_id = $1", run);
  return row!.crashes;
}

async function expire(bed: TestBed, owner: string): Promise<void> {
  await bed.query("UPDATE cairn.owners SET expires_at = cairn.now() - interval '1 ms' WHERE id = $1", owner);
}

describe("I3: fenced by owner", () => {
  it("an owner whose row was taken over commits nothing, not even a part of a statement", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    await loop.call(0);
    await expire(bed, loop.owner);
    await takeOver(await connect(bed));
    const transition = newTransition(run);
    transition.events.push({ runId: run, kind: "log", data: null, at: 0, afterInput: 0 });
    transition.mail.push({ runId: run, kind: "signal", call: null, name: "forged", value: "1" });
    transition.outbox.push({ namespace: "default", runId: run, type: "forged", data: "1", at: 0, traceparent: null });
    await expect(commitTransitions(await connect(bed), loop.owner, [transition])).rejects.toThrow("has lost its runs");
    expect(await bed.query("SELECT kind FROM cairn.run_events WHERE kind = 'log'")).toEqual([]);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
    expect(await bed.query("SELECT FROM cairn.outbox_events")).toEqual([]);
  });

  it("an owner whose lease has run out commits nothing, though nobody has taken over", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await loop.start(twoCalls, 1);
    const call = await loop.call(0);
    await expire(bed, loop.owner);
    loop.answer(call, 1);
    await until(async () => loop.lost.length === 1);
    expect(loop.dispatched).toHaveLength(1);
    expect(await bed.query("SELECT number FROM cairn.history")).toEqual([{ number: 1 }]);
  });

  it("a take-over leaves a commit that is under way alone, and what that commit did is there", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(twoCalls, 1);
    const call = await loop.call(0);
    // The fence is behind the commit when it comes to this row.
    const release = await lockWith(
      bed,
      `INSERT INTO cairn.history (run_id, number, kind, at, digest) VALUES ('${run}', 2, 'start', now(), '')`,
    );
    loop.answer(call, 1);
    await untilBlocked(bed);
    await expire(bed, loop.owner);
    const keeper = await connect(bed);
    expect(await takeOver(keeper)).toBe(0);
    await release();
    expect(await until(async () => (await takeOver(keeper)) || undefined)).toBe(1);
    expect(await bed.query("SELECT number FROM cairn.history ORDER BY number")).toEqual([{ number: 1 }, { number: 2 }]);

    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.runloop.poke();
    next.answer(await next.call(0), 2);
    expect(await next.end(run)).toMatchObject({ status: "succeeded", value: "[1,2]" });
  });

  it("claims nothing without a lease", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await expire(bed, loop.owner);
    await startUnowned(bed, oneCall, [1]);
    loop.runloop.poke();
    await until(async () => loop.lost.length === 1);
    expect(await bed.query("SELECT state, owner FROM cairn.queue")).toEqual([{ state: "ready", owner: null }]);
  });

  it("a run that is started while the owner has no lease is started all the same, and is nobody's", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await expire(bed, loop.owner);
    await loop.start(oneCall, 1);
    expect(await bed.query("SELECT state, owner FROM cairn.queue")).toEqual([{ state: "ready", owner: null }]);
  });

  it("frees the runs of an owner whose session has ended, before its lease runs out", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { leaseMs: 3_600_000 });
    await loop.start(oneCall, 1);
    await loop.call(0);
    const keeper = await connect(bed);
    expect(await takeOver(keeper)).toBe(0);
    await bed.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database AS d ON d.oid = database
      WHERE d.datname = current_database() AND locktype = 'advisory' AND pid <> pg_backend_pid()`,
    );
    expect(await until(async () => (await takeOver(keeper)) || undefined)).toBe(1);
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
  });
});

describe("I5: leases", () => {
  it("are kept while the runloop makes progress, and run out when it makes none", async () => {
    const bed = await testBed();
    const [moving, stuck] = [await openLoop(bed, { leaseMs: 30_000 }), await openLoop(bed, { leaseMs: 30_000 })];
    const keeper = new Keeper({
      url: bed.url,
      namespace: null,
      heartbeatMs: 10,
      chunksKeptMs: 60_000,
      woken: () => {},
      quarantined: () => {},
      warn: () => {},
    });
    let progress = 0;
    const [moves, hangs] = [new SharedCells(), new SharedCells()];
    moves.owner = moving.owner;
    hangs.owner = stuck.owner;
    keeper.keep(Object.defineProperty(moves, "progress", { get: () => ++progress }));
    keeper.keep(hangs);
    keeper.open();
    const leases = async (): Promise<Record<string, number>> => {
      const rows = await bed.query<{ id: string; at: string }>(
        "SELECT id, extract(epoch FROM expires_at) * 1000 AS at FROM cairn.owners",
      );
      return Object.fromEntries(rows.map(({ id, at }) => [id, Number(at)]));
    };
    await until(async () => progress >= 3);
    const before = await leases();
    await until(async () => progress >= 10 && (await leases())[moving.owner]! > before[moving.owner]!);
    expect((await leases())[stuck.owner]).toBe(before[stuck.owner]);
    await bed.advance(25_000);
    const seen = progress;
    await until(async () => progress > seen + 2);
    await bed.advance(6_000);
    await until(async () => !(stuck.owner in (await leases())));
    expect(Object.keys(await leases())).toEqual([moving.owner]);
    await keeper.close();
  });
});

describe("I7: crashes are not attempts", () => {
  it("a take-over counts one crash, and the next committed transition sets it to 0", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(twoCalls, 1);
    await loop.call(0);
    await expire(bed, loop.owner);
    await takeOver(await connect(bed));
    expect(await crashesOf(bed, run)).toBe(1);

    const next = await openLoop(bed);
    next.runloop.poke();
    const adopted = await until(async () => next.adopted[0]);
    expect(await crashesOf(bed, run)).toBe(1);
    next.answer(adopted, 1);
    const second = await next.call(0);
    expect(await crashesOf(bed, run)).toBe(0);
    expect(await bed.query("SELECT attempt FROM cairn.workflow_run")).toEqual([{ attempt: 1 }]);
    next.answer(second, 2);
    expect(await next.end(run)).toMatchObject({ status: "succeeded" });
  });

  it("a graceful hand-over counts none, and the next owner adopts the calls under way", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    const call = await loop.call(0);
    await loop.runloop.close();
    expect(await bed.query("SELECT state, owner, crashes FROM cairn.queue")).toEqual([
      { state: "ready", owner: null, crashes: 0 },
    ]);
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
    const next = await openLoop(bed);
    next.runloop.poke();
    expect(await until(async () => next.adopted[0])).toEqual(call);
    next.answer(call, 1);
    expect(await next.end(run)).toMatchObject({ status: "succeeded" });
    expect(next.dispatched).toEqual([]);
  });

  it("from the second crash on a run is claimed in quarantine alone, one at a time, and leaves it with its first progress", async () => {
    const bed = await testBed();
    const runs = await startUnowned(bed, twoCalls, [1, 2, 3]);
    const [suspect, other, third] = runs as [string, string, string];
    await bed.query("UPDATE cairn.queue SET crashes = 2 WHERE run_id IN ($1, $2)", suspect, other);
    const loop = await openLoop(bed);
    loop.runloop.poke();
    expect((await loop.call(0)).runId).toBe(third);
    expect(loop.runloop.held).toBe(1);

    const alone = await openLoop(bed, { alone: true });
    alone.runloop.poke();
    await until(async () => (await crashesOf(bed, suspect)) === 0 && (await crashesOf(bed, other)) === 0);
    loop.runloop.poke();
    await until(async () => loop.adopted.length === 2);
    expect(alone.runloop.held).toBe(0);
    expect(new Set(loop.adopted.map(({ runId }) => runId))).toEqual(new Set([suspect, other]));
  });

  it("in quarantine only one run is held at a time", async () => {
    const bed = await testBed();
    await startUnowned(bed, oneCall, [1, 2, 3]);
    await bed.query("UPDATE cairn.queue SET crashes = 2");
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    const alone = await openLoop(bed, { alone: true });
    alone.runloop.poke();
    await untilBlocked(bed);
    alone.runloop.poke();
    expect(await bed.query("SELECT FROM cairn.queue WHERE state = 'held'")).toHaveLength(1);
    await release();
    await alone.call(2);
  });

  it("in quarantine a run that waits for its calls makes way, stays a suspect, and gets their results", async () => {
    const bed = await testBed();
    const waiting = await openLoop(bed);
    const innocent = await waiting.start(oneCall, 1);
    const call = await waiting.call(0);
    await expire(bed, waiting.owner);
    await takeOver(await connect(bed));
    await bed.query("UPDATE cairn.queue SET crashes = 2");
    const alone = await openLoop(bed, { alone: true });
    alone.runloop.poke();
    await until(async () => alone.adopted.length === 1);
    const [other] = await startUnowned(bed, oneCall, [2]);
    await bed.query("UPDATE cairn.queue SET crashes = 2 WHERE run_id = $1", other);
    alone.runloop.poke();
    expect((await alone.call(0)).runId).toBe(other);
    expect(await crashesOf(bed, innocent)).toBe(2);
    alone.answer(call, 5);
    expect(await alone.end(innocent)).toMatchObject({ status: "succeeded", value: "5" });
  });

  it("a run that went down five times alone fails, without another look at its state", async () => {
    const bed = await testBed();
    const [run] = (await startUnowned(bed, oneCall, [1])) as [string];
    for (let crashes = 1; crashes <= 7; crashes++) {
      const loop = await openLoop(bed, { alone: crashes > 2 });
      const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
      loop.runloop.poke();
      const [blocked] = await untilBlocked(bed);
      await expire(bed, loop.owner);
      const freed = takeOver(await connect(bed));
      await bed.query("SELECT pg_terminate_backend($1)", blocked);
      await freed;
      await release();
      expect(await crashesOf(bed, run)).toBe(crashes);
    }
    const alone = await openLoop(bed, { alone: true });
    alone.runloop.poke();
    expect(await alone.end(run)).toMatchObject({ status: "failed", value: expect.stringContaining("CrashLimit") });
    expect(await bed.query("SELECT status, last_error FROM cairn.runs")).toEqual([
      { status: "failed", last_error: expect.stringMatching(/^CrashLimit: /) },
    ]);
    expect(await bed.query("SELECT FROM cairn.queue")).toEqual([]);
  });
});
