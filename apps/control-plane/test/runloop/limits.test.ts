import { describe, expect, it } from "vitest";
import type { Dispatch } from "../../src/runloop/outside.ts";
import { type ActionLimits, FIRST_GROUP, grantCalls, registerLimits, sweepLimits } from "../../src/store/limits.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, openLoop, type TestLoop } from "../support/test-runloop.ts";
import { deliverAll, type Letter, loseAll, sendAll, sendFirst, sendOne } from "../workflows/limited.ts";

const PER_TENANT = { path: "0.tenant" };
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** Behind the opening of runloops, which registers that the action has no limits. */
async function limited(bed: TestBed, limits: Partial<ActionLimits>): Promise<void> {
  const client = await connect(bed);
  await registerLimits(client, { namespace: "default", action: "mail.send", concurrency: null, rate: null, ...limits });
}

const letters = (tenant: string, count: number): Letter[] => Array.from({ length: count }, (_, n) => ({ tenant, n }));

const letterOf = ({ args }: Dispatch): Letter => (JSON.parse(args) as [Letter])[0];

/** All that was to be dispatched so far is: another run has come through behind it. */
async function quiet(bed: TestBed, count: { waiting: number; open: number }): Promise<void> {
  await until(async () => {
    const [row] = await bed.query<{ waiting: number; open: number }>(
      `SELECT count(*) FILTER (WHERE granted_at IS NULL)::int AS waiting,
        count(*) FILTER (WHERE granted_at IS NOT NULL)::int AS open FROM cairn.limited_calls`,
    );
    return row!.waiting === count.waiting && row!.open === count.open;
  });
}

/** A call of a run that may have been parked meanwhile: as keepers do, runs with mail are woken. */
async function wokenCall(bed: TestBed, loop: TestLoop, index: number): Promise<Dispatch> {
  const client = await connect(bed);
  return until(async () => {
    await wakeRuns(client);
    loop.runloop.poke();
    return loop.dispatched[index];
  });
}

const answerAll = (loop: TestLoop, from: number, to: number): void => {
  for (const call of loop.dispatched.slice(from, to)) loop.answer(call, 1);
};

describe("concurrency", () => {
  it("as many calls as the limit says are dispatched, and one more for each that ends", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 2, key: null } });
    const run = await loop.start(sendAll, letters("a", 5));
    await loop.calls(2);
    await quiet(bed, { waiting: 3, open: 2 });
    expect(loop.dispatched).toHaveLength(2);
    loop.answer(loop.dispatched[0]!, 1);
    await loop.calls(3);
    await quiet(bed, { waiting: 2, open: 2 });
    answerAll(loop, 1, 3);
    await loop.calls(5);
    answerAll(loop, 3, 5);
    expect(JSON.parse((await loop.end(run)).value)).toEqual(["sent", "sent", "sent", "sent", "sent"]);
    await quiet(bed, { waiting: 0, open: 0 });
  });

  it("each key has slots of its own, and one with many that wait keeps none from another", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: PER_TENANT } });
    await loop.start(sendAll, letters("many", 1_000));
    await loop.call(0);
    const one = await loop.start(sendOne, { tenant: "one", n: 1 });
    const call = await until(async () => loop.dispatched.find((each) => letterOf(each).tenant === "one"));
    expect(loop.dispatched).toHaveLength(2);
    loop.answer(call, 1);
    expect((await loop.end(one)).status).toBe("succeeded");
  });

  it("the slot of a call that fails is another's until it is tried again", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    const run = await loop.start(sendAll, letters("a", 2));
    const retry = { attempts: 2, baseMs: 60_000, capMs: 60_000 };
    loop.fail(await loop.call(0), "down", retry);
    const second = await loop.call(1);
    expect(second.call).not.toBe(loop.dispatched[0]!.call);
    await bed.advance(100_000);
    loop.runloop.poke();
    await quiet(bed, { waiting: 1, open: 1 });
    expect(loop.dispatched).toHaveLength(2);
    loop.answer(second, 1);
    const third = await loop.call(2);
    expect(third).toMatchObject({ call: loop.dispatched[0]!.call, attempt: 2 });
    loop.answer(third, 1);
    expect(JSON.parse((await loop.end(run)).value)).toEqual(["sent", "sent"]);
  });

  it("a call whose worker is lost keeps its slot", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    await loop.start(sendAll, letters("a", 2));
    const first = await loop.call(0);
    loop.runloop.strangers([first]);
    expect(await loop.call(1)).toMatchObject({ call: first.call, attempt: 2 });
    await quiet(bed, { waiting: 1, open: 1 });
  });

  it("who is given up, waiting or not, makes way: a race that is over, a cancelled run", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 2, key: null } });
    const race = await loop.start(sendFirst, letters("a", 5));
    loop.answer(await loop.call(0), 1);
    await loop.end(race);
    await quiet(bed, { waiting: 0, open: 0 });
    const run = await loop.start(sendAll, letters("a", 5));
    await quiet(bed, { waiting: 3, open: 2 });
    await bed.query("SELECT cairn.cancel_run($1)", run);
    loop.runloop.poke();
    expect((await loop.end(run)).status).toBe("cancelled");
    await quiet(bed, { waiting: 0, open: 0 });
  });

  it("a run that waits for its turn is parked and says so; a letter of whoever grants it brings it back", async () => {
    const bed = await testBed();
    const holder = await openLoop(bed);
    const other = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    await holder.start(sendOne, { tenant: "a", n: 1 });
    const first = await holder.call(0);
    const run = await other.start(sendOne, { tenant: "a", n: 2 });
    const parked = await until(async () => {
      const [row] = await bed.query<{ state: string; waiting_for: string }>(
        "SELECT state, waiting_for FROM cairn.queue WHERE run_id = $1",
        run,
      );
      return row?.state === "parked" && row;
    });
    expect(parked.waiting_for).toBe("its turn: mail.send is limited");
    expect(other.runloop.held).toBe(0);
    holder.answer(first, 1);
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox WHERE kind = 'granted'")).length === 1);
    other.answer(await wokenCall(bed, other, 0), 1);
    expect((await other.end(run)).status).toBe("succeeded");
    await quiet(bed, { waiting: 0, open: 0 });
  });

  it("a crash between grant and dispatch loses neither: whoever has the run next makes the call", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    const run = await loop.start(sendOne, { tenant: "a", n: 1 });
    await loop.call(0);
    const waiting = await loop.start(sendOne, { tenant: "a", n: 2 });
    await quiet(bed, { waiting: 1, open: 1 });
    // As if its owner had asked, and had gone down before it was answered.
    await bed.query("DELETE FROM cairn.limited_calls WHERE run_id = $1", run);
    await bed.query("SELECT * FROM cairn.grant_calls($1, 'default', 'mail.send', '')", loop.owner);
    await bed.query("UPDATE cairn.queue SET state = 'ready', owner = NULL WHERE run_id = $1", waiting);
    await bed.query("DELETE FROM cairn.owners WHERE id = $1", loop.owner);
    const next = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    await limited(bed, { concurrency: { limit: 1, key: null } });
    next.runloop.poke();
    expect(await next.call(0)).toMatchObject({ runId: waiting });
  });

  it("a grant that nobody has heard of is told again, once", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    await loop.start(sendOne, { tenant: "a", n: 1 });
    await loop.call(0);
    const client = await connect(bed);
    expect((await sweepLimits(client, FIRST_GROUP)).lettersSent).toBe(false);
    await bed.advance(11_000);
    expect((await sweepLimits(client, FIRST_GROUP)).lettersSent).toBe(true);
    expect((await sweepLimits(client, FIRST_GROUP)).lettersSent).toBe(false);
    loop.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox")).length === 0);
    expect(loop.dispatched).toHaveLength(1);
  });

  it("what was not granted, since whoever ended the last call went down, is granted by keepers", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    await loop.start(sendAll, letters("a", 2));
    const { call } = await loop.call(0);
    await quiet(bed, { waiting: 1, open: 1 });
    await bed.query("DELETE FROM cairn.limited_calls WHERE call = $1", call);
    expect((await sweepLimits(await connect(bed), FIRST_GROUP)).lettersSent).toBe(true);
    loop.runloop.poke();
    await loop.call(1);
  });

  it("the slot of a run that is no more, ended by whoever knows nothing of slots, is free again", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    const gone = await loop.start(sendOne, { tenant: "a", n: 1 });
    await loop.call(0);
    const run = await loop.start(sendOne, { tenant: "a", n: 2 });
    await quiet(bed, { waiting: 1, open: 1 });
    await bed.query("DELETE FROM cairn.queue WHERE run_id = $1", gone);
    await sweepLimits(await connect(bed), FIRST_GROUP);
    expect(await wokenCall(bed, loop, 1)).toMatchObject({ runId: run });
  });

  it("a limit that is lowered lets what is open end; one that is raised, or is no more, lets others begin", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 3, key: null } });
    await loop.start(sendAll, letters("a", 10));
    await loop.calls(3);
    await limited(bed, { concurrency: { limit: 1, key: null } });
    answerAll(loop, 0, 2);
    await quiet(bed, { waiting: 7, open: 1 });
    expect(loop.dispatched).toHaveLength(3);
    await limited(bed, { concurrency: { limit: 4, key: null } });
    loop.answer(loop.dispatched[2]!, 1);
    await loop.calls(7);
    await quiet(bed, { waiting: 3, open: 4 });
    await limited(bed, {});
    loop.answer(loop.dispatched[3]!, 1);
    await loop.calls(10);
  });

  it("a call without a key fails, and is not tried again", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { concurrency: { limit: 1, key: { path: "0.region" } } });
    const run = await loop.start(sendAll, letters("a", 1));
    expect(JSON.parse((await loop.end(run)).value)).toEqual(["InvalidLimitKey"]);
  });

  it("a run that is paused while it waits gives up its place, and asks again", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    await limited(bed, { concurrency: { limit: 1, key: null } });
    await loop.start(sendOne, { tenant: "a", n: 1 });
    const first = await loop.call(0);
    const run = await loop.start(sendOne, { tenant: "a", n: 2 });
    await quiet(bed, { waiting: 1, open: 1 });
    await bed.query("SELECT cairn.send_mail($1, 'pause', NULL, NULL)", run);
    loop.runloop.poke();
    await quiet(bed, { waiting: 0, open: 1 });
    await bed.query("SELECT cairn.send_mail($1, 'resume', NULL, NULL)", run);
    await wakeRuns(await connect(bed));
    loop.runloop.poke();
    await quiet(bed, { waiting: 1, open: 1 });
    loop.answer(first, 1);
    expect(await wokenCall(bed, loop, 1)).toMatchObject({ runId: run });
  });
});

describe("a run that is stopped for an operator", () => {
  it("holds nobody's slot, and asks again when it is resumed", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    await limited(bed, { concurrency: { limit: 1, key: null } });
    await loop.start(sendOne, { tenant: "a", n: 1 });
    const first = await loop.call(0);
    const isParked = (id: string) => async (): Promise<boolean> =>
      (await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 AND state = 'parked'", id)).length === 1;
    const bad = await loop.start(sendOne, { tenant: "a", n: 2 });
    await until(isParked(bad));
    const good = await loop.start(sendOne, { tenant: "a", n: 3 });
    await until(isParked(good));
    const [kept] = await bed.query<{ bytes: Buffer }>("SELECT bytes FROM cairn.snapshots WHERE run_id = $1", bad);
    await bed.query("UPDATE cairn.snapshots SET bytes = '\\x00' WHERE run_id = $1", bad);
    loop.answer(first, 1);
    expect(await wokenCall(bed, loop, 1)).toMatchObject({ runId: good });
    const [row] = await bed.query("SELECT phase, waiting_for FROM cairn.queue WHERE run_id = $1", bad);
    expect(row).toEqual({ phase: "paused", waiting_for: "an operator" });
    await bed.query("UPDATE cairn.snapshots SET bytes = $2 WHERE run_id = $1", bad, kept!.bytes);
    loop.answer(loop.dispatched[1]!, 1);
    await bed.query("SELECT cairn.send_mail($1, 'resume', NULL, NULL)", bad);
    // Its call was never made, so this is its first try.
    expect(await wokenCall(bed, loop, 2)).toMatchObject({ runId: bad, attempt: 1 });
  });
});

describe("rate", () => {
  it("so many calls begin at once, the next ones when there is a token, and never more than the rate says", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, { rate: { limit: 10, perMs: 600_000, key: null } });
    await loop.start(sendAll, letters("a", 15));
    await loop.calls(10);
    await quiet(bed, { waiting: 5, open: 10 });
    for (const count of [11, 12]) {
      await bed.advance(60_001);
      loop.runloop.poke();
      await loop.calls(count);
      await quiet(bed, { waiting: 15 - count, open: count });
      expect(loop.dispatched).toHaveLength(count);
    }
    await bed.advance(600_001);
    loop.runloop.poke();
    await loop.calls(15);
  });

  it("keys have buckets of their own, and the concurrency holds beside the rate", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await limited(bed, {
      concurrency: { limit: 3, key: null },
      rate: { limit: 2, perMs: 3_600_000, key: PER_TENANT },
    });
    await loop.start(sendAll, [...letters("a", 5), ...letters("b", 5)]);
    await loop.calls(3);
    await quiet(bed, { waiting: 7, open: 3 });
    answerAll(loop, 0, 3);
    await loop.calls(4);
    await quiet(bed, { waiting: 6, open: 1 });
    expect(loop.dispatched.map((call) => letterOf(call).tenant)).toEqual(["a", "a", "b", "b"]);
  });

  it("goes on after the clock of the database was ahead and is set back", async () => {
    const bed = await testBed();
    const client = await connect(bed);
    await limited(bed, { rate: { limit: 1, perMs: 60_000, key: null } });
    const wait = (): Promise<unknown> =>
      bed.query(`INSERT INTO cairn.limited_calls (run_id, call, attempt, namespace, action, key, rate_key, priority)
        VALUES (cairn.new_id(), '1', 1, 'default', 'mail.send', '', '', 0)`);
    const granted = async (): Promise<number> =>
      (await grantCalls(client, NOBODY, { namespace: "default", action: "mail.send", key: "" })).count;
    await wait();
    await bed.advance(3_600_000);
    expect(await granted()).toBe(1);
    await bed.advance(-3_600_000);
    await wait();
    expect(await granted()).toBe(0);
    await bed.advance(60_000);
    expect(await granted()).toBe(1);
  });
});

describe("key functions", () => {
  it("are run by the machine on the arguments of a call, with the helpers that they use", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    await loop.start(
      deliverAll,
      ["a", "b", "c"].map((tenant) => ({ tenant, n: 1 })),
    );
    await loop.calls(2);
    await quiet(bed, { waiting: 1, open: 2 });
    expect(loop.dispatched.map((call) => letterOf(call).tenant)).toEqual(["a", "b"]);
    const rows = await bed.query("SELECT key, rate_key FROM cairn.limited_calls ORDER BY id");
    expect(rows).toEqual([
      { key: "teast", rate_key: "tA" },
      { key: "twest", rate_key: "tB" },
      { key: "teast", rate_key: "tC" },
    ]);
  });

  it("that throw, do not end or return something else fail the call, and nothing else", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(
      loseAll,
      ["throws", "loops", "nothing", "fine"].map((tenant) => ({ tenant, n: 1 })),
    );
    loop.answer(await loop.call(0), 1);
    const [throws, loops, nothing, fine] = JSON.parse((await loop.end(run)).value) as string[];
    expect(throws).toContain("InvalidLimitKey: mail.lost: The function that makes the key of a limit failed");
    expect(throws).toContain("no such tenant");
    expect(loops).toContain("takes too long");
    expect(nothing).toContain("a text, a number or a boolean");
    expect(fine).toBe("sent");
  });
});
