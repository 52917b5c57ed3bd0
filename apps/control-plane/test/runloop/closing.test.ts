import { describe, expect, it } from "vitest";
import { openBlobs } from "../../src/blobs/open-blobs.ts";
import { Lives } from "../../src/runloop/lives.ts";
import { SharedCells } from "../../src/runloop/shared-cells.ts";
import { releaseOwner } from "../../src/store/owners.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { lockWith, openLoop, outcomeOf, quietOptions, startUnowned, untilBlocked } from "../support/test-runloop.ts";
import { executions, holding } from "../workflows/held.ts";
import { fan, manyChildren, oneCall, twoCalls } from "../workflows/runloop.ts";

/** The sessions of all runloops on this database. */
const SESSIONS = "FROM pg_stat_activity WHERE application_name LIKE 'cairn co%' AND datname = current_database()";

async function endSessions(bed: TestBed): Promise<void> {
  await bed.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`);
}

function newLives(bed: TestBed, cells: SharedCells): Lives {
  return new Lives({ ...quietOptions(bed), cells, blobs: openBlobs(bed.sql, null), random: () => 0 });
}

describe("a runloop that is closed", () => {
  it("while it is being opened leaves no owner", async () => {
    const bed = await testBed();
    const lives = newLives(bed, new SharedCells());
    const opened = lives.open();
    await lives.close();
    await opened;
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
  });

  it("commits what has arrived, and makes no further calls: whoever goes on makes them", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(twoCalls, 1);
    const call = await loop.call(0);
    loop.runloop.drain();
    loop.answer(call, 1);
    await loop.runloop.close();
    expect(await bed.query("SELECT kind FROM cairn.history ORDER BY number")).toEqual([
      { kind: "start" },
      { kind: "result" },
    ]);
    expect(loop.acknowledged).toEqual([{ runId: run, call: call.call, attempt: 1 }]);
    expect(loop.dispatched).toHaveLength(1);
    expect(await bed.query("SELECT state, crashes FROM cairn.queue")).toEqual([{ state: "ready", crashes: 0 }]);
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    next.runloop.poke();
    // Nobody has made it before: it is the first try, and none was lost.
    expect(await next.call(0)).toMatchObject({ attempt: 1 });
    expect(next.adopted).toEqual([]);
    next.answer(await next.call(0), 2);
    expect(await next.end(run)).toMatchObject({ value: "[1,2]" });
    expect(await bed.query("SELECT FROM cairn.step_attempts WHERE outcome = 'lost'")).toEqual([]);
  });

  it("again and again while 1,000 calls run and others wait for them: none is lost, and none is made twice", async () => {
    const bed = await testBed();
    let loop = await openLoop(bed);
    const run = await loop.start(fan, 1_100);
    const made = new Map((await loop.calls(1_000)).map((call) => [call.call, call]));
    for (let deploy = 0; deploy < 11; deploy++) {
      await loop.runloop.close();
      loop = await openLoop(bed, {
        adopt: (calls, runloop) => runloop.strangers(calls.filter(({ call }) => !made.has(call))),
      });
      loop.runloop.poke();
      await until(async () => loop.adopted.length === 1_000);
    }
    loop.runloop.outcomes([...made.values()].map((call) => outcomeOf(call, "result", "1")));
    loop.runloop.outcomes((await loop.calls(100)).map((call) => outcomeOf(call, "result", "1")));
    expect(await loop.end(run)).toMatchObject({ status: "succeeded", value: "1100" });
    expect(loop.dispatched.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(await bed.query("SELECT FROM cairn.failed_attempts")).toEqual([]);
  });

  it("leaves the calls of a run that it had just claimed to whoever runs them", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    await first.start(oneCall, 1);
    await first.call(0);
    await releaseOwner(first.control, first.owner);
    const next = await openLoop(bed);
    const release = await lockWith(bed, "LOCK TABLE cairn.snapshots IN ACCESS EXCLUSIVE MODE");
    next.runloop.poke();
    await untilBlocked(bed);
    const closed = next.runloop.close();
    await release();
    await closed;
    expect(await bed.query("SELECT state, calls_out FROM cairn.queue")).toEqual([{ state: "ready", calls_out: true }]);
  });

  it("claims nothing, and starts children for others to claim", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const release = await lockWith(bed, "LOCK TABLE cairn.history IN SHARE MODE");
    loop.runloop.drain();
    await startUnowned(bed, oneCall, [1]);
    loop.runloop.poke();
    await release();
    await loop.runloop.close();
    expect(await bed.query("SELECT state FROM cairn.queue")).toEqual([{ state: "ready" }]);
    expect(loop.dispatched).toEqual([]);
  });

  it("in library mode: the action that runs ends, its result is kept, and it is not executed again", async () => {
    const bed = await testBed();
    const first = await bed.open();
    const run = await first.start(holding, "closing");
    const execution = await until(async () => executions.find(({ key }) => key === "closing"));
    const closed = first.close();
    execution.succeed("the only one");
    await closed;
    expect(await bed.query("SELECT status FROM cairn.runs")).toEqual([{ status: "succeeded" }]);
    const second = await bed.open();
    expect(await second.run(run.id).result()).toBe("the only one");
    expect(executions.filter(({ key }) => key === "closing")).toHaveLength(1);
  });

  it("while it comes back after a loss: nothing of it is left", async () => {
    const bed = await testBed();
    const cells = new SharedCells();
    const lives = newLives(bed, cells);
    await lives.open();
    const release = await lockWith(bed, "LOCK TABLE cairn.owners IN ACCESS EXCLUSIVE MODE");
    await endSessions(bed);
    lives.poke();
    await until(async () => cells.owner === null);
    await untilBlocked(bed);
    const closed = lives.close();
    await release();
    await closed;
    expect(cells.owner).toBe(null);
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
    await until(
      async () =>
        (
          await bed.query(
            "SELECT FROM pg_stat_activity WHERE application_name LIKE 'cairn co%' AND datname = current_database()",
          )
        ).length === 0,
    );
  });

  it("while its life is lost: what it held is handed over, and no crash is counted", async () => {
    const bed = await testBed();
    await startUnowned(bed, oneCall, [1]);
    const cells = new SharedCells();
    cells.room = 10;
    const lives = newLives(bed, cells);
    await lives.open();
    await until(async () => (await bed.query("SELECT FROM cairn.history")).length === 1);
    await endSessions(bed);
    lives.poke();
    await until(async () => cells.former !== null);
    await lives.close();
    expect([cells.owner, cells.former]).toEqual([null, null]);
    expect(await bed.query("SELECT FROM cairn.owners")).toEqual([]);
    expect(await bed.query("SELECT state, crashes FROM cairn.queue")).toEqual([{ state: "ready", crashes: 0 }]);
  });

  it("was drained while its life was lost: the next one takes nothing", async () => {
    const bed = await testBed();
    const cells = new SharedCells();
    cells.room = 10;
    const lives = newLives(bed, cells);
    await lives.open();
    await endSessions(bed);
    lives.poke();
    await until(async () => cells.owner === null);
    lives.drain();
    await startUnowned(bed, oneCall, [1]);
    await until(async () => cells.owner !== null);
    lives.poke();
    // Asked for after whatever the life has claimed.
    await lives.close();
    expect(await bed.query("SELECT started_at FROM cairn.queue")).toEqual([{ started_at: null }]);
  });

  it("in library mode, while its life is lost: the result of the action that runs is kept for others", async () => {
    const bed = await testBed();
    const warnings: string[] = [];
    const first = await bed.open({ onWarning: (message) => void warnings.push(message) });
    const run = await first.start(holding, "closing while lost");
    const execution = await until(async () => executions.find(({ key }) => key === "closing while lost"));
    const release = await lockWith(bed, "LOCK TABLE cairn.owners IN ACCESS EXCLUSIVE MODE");
    await endSessions(bed);
    await until(async () => warnings.includes("The runs of this runloop were given up"));
    const closed = first.close();
    execution.succeed("the only one");
    await release();
    await closed;
    const second = await bed.open();
    expect(await second.run(run.id).result()).toBe("the only one");
    expect(executions.filter(({ key }) => key === "closing while lost")).toHaveLength(1);
  });
});

describe("room", () => {
  it("children are held by their parent's owner as far as it has room; others may claim the rest", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { heldMax: 5 });
    await loop.start(manyChildren, 20);
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 21);
    expect(await bed.query("SELECT FROM cairn.queue WHERE state = 'held'")).toHaveLength(5);
    let answered = 0;
    await until(async () => {
      for (; answered < loop.dispatched.length; answered++) loop.answer(loop.dispatched[answered]!, 0);
      return loop.ended.length === 21;
    });
  });
});
