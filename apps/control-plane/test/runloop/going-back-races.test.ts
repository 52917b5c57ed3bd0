import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { Patience, patientClient } from "../../src/library/patience.ts";
import type { Cairn, RunHandle } from "../../src/index.ts";
import { openPool } from "../../src/store/connection.ts";
import { digestOf, type LetterKey, sendMail, sweepMail } from "../../src/store/mail.ts";
import { retryRun, rollBackRun } from "../../src/store/revive-run.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { connect, openLoop } from "../support/test-runloop.ts";
import {
  acts,
  broken,
  family,
  flaky,
  holding,
  large,
  mother,
  napping,
  parent,
  retried,
  three,
  twice,
  words,
} from "../workflows/turning.ts";

async function opened(options = {}): Promise<{ readonly bed: TestBed; readonly cairn: Cairn }> {
  const bed = await testBed();
  return { bed, cairn: await bed.open(options) };
}

const actsOf = (key: string): string[] => acts.filter((text) => text.startsWith(key));
const held = (key: string): Promise<{ readonly release: (value: string) => void }> =>
  until(async () => holding.get(key));
const inPhase = (run: RunHandle, phase: string): Promise<boolean> =>
  until(async () => (await run.status()).phase === phase);
const wentBack = (run: RunHandle): Promise<boolean> =>
  until(async () => (await run.history()).some(({ kind }) => kind === "rollback"));
const order = (to: number): string =>
  JSON.stringify({ to, compensate: false, keepChance: false, despiteCompensations: false, checkedAt: 0 });

/** As if it had been sent before the run came to its end. */
function mailTo(bed: TestBed, run: RunHandle, to: number): Promise<unknown> {
  return bed.query(
    "INSERT INTO cairn.mailbox (run_id, kind, value, sent_at) VALUES ($1, 'rollback', $2, cairn.now())",
    run.id,
    order(to),
  );
}

/** A run that waits for the second try of its second step. */
async function retrying(cairn: Cairn, key: string): Promise<RunHandle<string>> {
  broken.add(`${key} b`);
  const run = await cairn.start(retried, key);
  await until(async () => (await run.status()).lastError !== null);
  broken.delete(`${key} b`);
  return run;
}

function under(key: string): LetterKey {
  return { key, digest: digestOf("an order") };
}

describe("going back, and what happens at the same time", () => {
  it.each([0, 1])("a call that is given up and made again in one step runs (%s threads)", async (runloops) => {
    const { cairn } = await opened({ runloops });
    const run = await retrying(cairn, `a${runloops}`);
    const step = (await run.steps()).findLast(({ name }) => name === flaky.name)!;
    await run.rollback(step.number, { compensate: true });
    expect(await run.result()).toBe(`a${runloops} b`);
  });

  it("a child that ends late does not answer for the one that was started anew", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(mother, "c1");
    const kids = (count: number): Promise<{ id: string }[]> =>
      until(async () => {
        const rows = await bed.query<{ id: string }>(
          "SELECT id FROM cairn.runs WHERE parent = $1 ORDER BY created_at, id",
          run.id,
        );
        return rows.length === count && rows;
      });
    const [first] = await kids(1);
    await inPhase(cairn.run(first!.id), "waiting");
    await run.cancel("enough");
    await expect(run.result()).rejects.toThrow("enough");
    const undoing = await held("c1 undo");
    await run.rollback(1);
    const second = (await kids(2)).find(({ id }) => id !== first!.id)!;
    await inPhase(cairn.run(second.id), "waiting");
    undoing.release("undone");
    await expect(cairn.run(first!.id).result()).rejects.toMatchObject({ name: "RunCancelled" });
    await cairn.run(second.id).signal("word", "fine");
    expect(await run.result()).toBe("fine");
  });

  it("the end of a child that an operator has retried is not taken for that of the next one", async () => {
    const { bed, cairn } = await opened();
    broken.add("c2 child");
    const run = await cairn.start(family, "c2");
    await expect(run.result()).rejects.toThrow("broken");
    broken.delete("c2 child");
    const [kid] = await bed.query<{ id: string }>("SELECT id FROM cairn.runs WHERE parent = $1", run.id);
    await cairn.run(kid!.id).retry();
    await cairn.run(kid!.id).result();
    await run.rollback(1);
    expect(await run.result()).toBe("c2 child");
    expect(actsOf("c2")).toEqual(["c2 child", "c2 child", "c2 child", "c2 after"]);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("a child that lives, and was open then, is waited for", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(parent, "c3");
    await until(async () => actsOf("c3").length === 4 - 1);
    await run.rollback(2);
    await wentBack(run);
    const kids = await until(async () => {
      const rows = await bed.query<{ id: string }>(
        "SELECT r.id FROM cairn.runs AS r JOIN cairn.queue AS q ON q.run_id = r.id WHERE r.parent = $1 AND q.phase = 'waiting'",
        run.id,
      );
      return rows.length === 2 && rows;
    });
    for (const { id } of kids) await cairn.run(id).signal("word", "go");
    expect(await run.result()).toEqual(["c3 early done", "c3 late done"]);
    expect(actsOf("c3").filter((text) => text.endsWith("early child"))).toHaveLength(1);
  });

  it("of two rollbacks that wait, one to what the other has superseded is refused when it is taken, with an event", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(words, 4);
    for (const word of ["a", "b", "c"]) await run.signal("word", word);
    await until(async () => (await run.history()).length === 4);
    await run.pause();
    await inPhase(run, "paused");
    await run.rollback(1);
    await run.rollback(3);
    await run.resume();
    await run.signal("word", "d");
    expect(await run.result()).toEqual(["a", "b", "c", "d"]);
    const refused = await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'rollback refused'");
    expect(refused).toEqual([{ data: { to: 3, reason: expect.stringMatching(/^Superseded: /) } }]);
  });

  it("a rollback that a run has not read when it ends takes it back if it has succeeded", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(words, 1);
    await run.signal("word", "a");
    await run.result();
    await mailTo(bed, run, 1);
    await wentBack(run);
    expect(await run.result()).toEqual(["a"]);
  });

  it("and is refused if its compensations have run: the run has its end again, and an event says why", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(twice, "c4");
    await inPhase(run, "waiting");
    await run.cancel();
    for (const key of ["c4 undo 2", "c4 undo 1"]) (await held(key)).release("undone");
    await expect(run.result()).rejects.toThrow("cancelled");
    const before = await run.status();
    await mailTo(bed, run, 2);
    const refused = await until(async () => {
      const rows = await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'rollback refused'");
      return rows.length > 0 && rows;
    });
    expect(refused).toEqual([{ data: { to: 2, reason: expect.stringMatching(/^CompensationsRan: /) } }]);
    expect(await run.status()).toEqual(before);
    await expect(run.result()).rejects.toThrow("cancelled");
    expect(await bed.query("SELECT FROM cairn.queue")).toEqual([]);
  });

  it("a state that cannot be had any more refuses a rollback, and the run goes on", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(words, 2);
    await run.signal("word", "a");
    await until(async () => (await run.history()).length === 2);
    await run.pause();
    await inPhase(run, "paused");
    await run.rollback(1);
    await bed.query("UPDATE cairn.history SET digest = '\\x00' WHERE number = 1");
    await bed.query("DELETE FROM cairn.snapshots WHERE number < 2");
    await run.resume();
    await run.signal("word", "b");
    expect(await run.result()).toEqual(["a", "b"]);
    const refused = await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'rollback refused'");
    expect(refused).toEqual([{ data: { to: 1, reason: expect.stringMatching(/^Diverged: /) } }]);
  });

  it("a deadline that passes while a rollback undoes ends the run, after everything is undone", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(twice, "c5", { deadline: new Date(Date.now() + 20_000) });
    await inPhase(run, "waiting");
    await run.rollback(1, { compensate: true });
    const undoing = await held("c5 undo 2");
    await bed.advance(21_000);
    await inPhase(run, "cancelling");
    undoing.release("undone");
    (await held("c5 undo 1")).release("undone");
    await expect(run.result()).rejects.toMatchObject({ name: "DeadlineExceeded" });
  });

  it("a run whose deadline has passed is taken back without it, and can then be cancelled as any other", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(twice, "c6", { deadline: new Date(Date.now() + 20_000) });
    await inPhase(run, "waiting");
    await bed.advance(21_000);
    const undoing = await held("c6 undo 2");
    await run.rollback(2, { despiteCompensations: true });
    await wentBack(run);
    undoing.release("undone");
    holding.delete("c6 undo 2");
    expect(await bed.query("SELECT deadline FROM cairn.runs")).toEqual([{ deadline: null }]);
    await run.cancel("by a user");
    for (const key of ["c6 undo 2", "c6 undo 1"]) (await held(key)).release("undone");
    await expect(run.result()).rejects.toMatchObject({ name: "RunCancelled", message: "by a user" });
    expect(await run.status()).toMatchObject({ status: "cancelled" });
  });

  it("a run whose deadline passes while nobody holds it, and that is to go back, goes back", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(words, 1, { deadline: new Date(Date.now() + 20_000) });
    await inPhase(run, "waiting");
    await cairn.close();
    expect(await rollBackRun(bed.sql, run.id, order(1), under(randomUUID()))).toBe(true);
    await bed.advance(21_000);
    const another = (await bed.open()).run(run.id);
    await wentBack(another);
    await another.signal("word", "late");
    expect(await another.result()).toEqual(["late"]);
  });

  it("signals that come while a rollback undoes are taken behind those that are taken again", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(twice, "c7");
    await inPhase(run, "waiting");
    await run.signal("word", "one");
    await until(async () => (await run.history()).some(({ kind }) => kind === "signal"));
    await run.rollback(1, { compensate: true });
    const undoing = await held("c7 undo 2");
    await run.signal("word", "two");
    undoing.release("undone");
    expect(await run.result()).toEqual(["one", "two"]);
  });

  it("signals that come while a retry undoes are for the next attempt", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(twice, "c8");
    await inPhase(run, "waiting");
    await bed.query("UPDATE cairn.queue SET state = 'ready', crashes = 7");
    await bed.advance(1);
    await expect(run.result()).rejects.toMatchObject({ name: "CrashLimit" });
    await run.retry();
    const undoing = await held("c8 undo 2");
    await run.signal("word", "early");
    undoing.release("undone");
    (await held("c8 undo 1")).release("undone");
    await run.signal("word", "late");
    expect(await run.result()).toEqual(["early", "late"]);
  });

  it("outcomes of before a rollback do not answer the call that is made again, which has a number of its own", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const id = await loop.start(retried, "c9");
    const first = await loop.call(0);
    loop.answer(first, "old");
    await loop.call(1);
    await sendMail(loop.control, [{ runId: id, kind: "rollback", call: null, name: null, value: order(1) }]);
    loop.runloop.poke();
    const again = await loop.call(2);
    expect([again.call, again.attempt]).toEqual([first.call, 2]);
    loop.answer(first, "old");
    loop.answer(again, "new");
    const next = await loop.call(3);
    expect(next.action).toBe(flaky.name);
    const history = await bed.query("SELECT value FROM cairn.history WHERE kind = 'result' ORDER BY number");
    expect(history).toEqual([{ value: "old" }, { value: "new" }]);
  });

  it("a call that was under way when its run ended gets a try with another number, each time", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const id = await loop.start(retried, "c10");
    const attempts = [(await loop.call(0)).attempt];
    for (let round = 1; round <= 2; round++) {
      await bed.query("SELECT cairn.cancel_run($1)", id);
      loop.runloop.poke();
      await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
      expect(await rollBackRun(loop.control, id, order(1), under(randomUUID()))).toBe(true);
      loop.runloop.poke();
      attempts.push((await loop.call(round)).attempt);
    }
    expect(attempts).toEqual([1, 2, 3]);
  });

  it("an old result in the mail does not keep the call that is made again from being made", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const id = await loop.start(retried, "c12");
    const first = await loop.call(0);
    await bed.query("SELECT cairn.cancel_run($1)", id);
    loop.runloop.poke();
    await loop.end(id);
    await rollBackRun(loop.control, id, order(1), under(randomUUID()));
    loop.runloop.poke();
    await loop.call(1);
    await loop.runloop.close();
    const value = JSON.stringify({ ...first, kind: "result", value: '"old"', retry: null, worker: "w", durationMs: 1 });
    await sendMail(await connect(bed), [{ runId: id, kind: "outcome", call: first.call, name: null, value }]);
    const next = await openLoop(bed);
    next.runloop.poke();
    await until(async () => next.adopted.length + next.dispatched.length > 0);
    expect([...next.adopted, ...next.dispatched]).toMatchObject([{ call: first.call, attempt: 2 }]);
  });

  it("three rollbacks of an ended run at once are all taken", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(words, 1);
    await run.signal("word", "a");
    await run.result();
    await Promise.all([run.rollback(1), run.rollback(1), run.rollback(1)]);
    await until(async () => (await run.history()).filter(({ kind }) => kind === "rollback").length === 3);
    expect(await run.result()).toEqual(["a"]);
  });

  it("a sleep whose time has passed rings at once", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(napping, "c11");
    await inPhase(run, "sleeping");
    await bed.advance(61_000);
    await run.result();
    await run.rollback(2);
    expect(await run.result()).toBe("c11 2");
    expect(actsOf("c11")).toEqual(["c11 1", "c11 2", "c11 2"]);
  });

  it.each([0, 1])("with values that are blobs it goes on as with others (%s threads)", async (runloops) => {
    const { bed, cairn } = await opened({ runloops });
    const size = 400_000;
    const run = await cairn.start(large, size);
    await inPhase(run, "waiting");
    await run.signal("word", "z".repeat(size));
    expect(await run.result()).toBe(2 * size);
    await run.rollback(1);
    expect(await run.result()).toBe(2 * size);
    const fork = await run.fork(2, { effects: "allowed" });
    await fork.signal("word", "short");
    expect(await fork.result()).toBe(size + 5);
    expect(await bed.query("SELECT FROM cairn.history WHERE octet_length(value::text) > $1", size)).toEqual([]);
  });

  it("the sweep of mail leaves a rollback whose run ends just then", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(words, 1);
    await inPhase(run, "waiting");
    await cairn.close();
    await bed.query(
      "INSERT INTO cairn.mailbox (run_id, kind, value, sent_at) VALUES ($1, 'rollback', $2, cairn.now())",
      run.id,
      order(1),
    );
    let asked = 0;
    const query = async (...given: Parameters<typeof bed.sql.query>): Promise<unknown> => {
      asked += 1;
      if (asked === 2) {
        await bed.query("DELETE FROM cairn.queue");
        await bed.query("UPDATE cairn.runs SET status = 'succeeded', ended_at = cairn.now()");
      }
      return bed.sql.query(...given);
    };
    await sweepMail({ query } as unknown as Queryable);
    expect(await bed.query("SELECT kind FROM cairn.mailbox")).toEqual([{ kind: "rollback" }]);
    await sweepMail(bed.sql);
    expect(await bed.query("SELECT state FROM cairn.queue")).toEqual([{ state: "ready" }]);
  });
});

describe("an order whose sender was not told that it was taken", () => {
  it.each([
    ["retry", retryRun],
    ["rollback", (client: Queryable, id: string, key: string) => rollBackRun(client, id, order(1), under(key))],
  ] as const)("%s is done once, although it is asked for again", async (_name, ask) => {
    const { bed, cairn } = await opened();
    broken.add("o1 a");
    const run = await cairn.start(three, "o1");
    await expect(run.result()).rejects.toThrow("broken");
    broken.delete("o1 a");
    await cairn.close();
    const proxy = await cuttingProxy(bed.url);
    const pool = openPool(proxy.url, "test");
    onTestFinished(() => pool.end());
    const client = patientClient(pool, new Patience(10_000, proxy.url));
    await client.query("SELECT 1");
    proxy.loseNextAnswer();
    expect(await ask(client, run.id, randomUUID())).toBe(true);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toHaveLength(1);
  });
});

describe("a run whose history does not lead to what it did", () => {
  it("is told of with a code; states before that can be forked", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(three, "d1");
    await run.result();
    await bed.query("UPDATE cairn.history SET digest = '\\x00' WHERE number = 3");
    await expect(run.steps()).rejects.toMatchObject({ code: "Diverged" });
    await expect(run.stateAt(3)).rejects.toMatchObject({ code: "Diverged" });
    await expect(run.rollback(1, { despiteCompensations: true })).rejects.toMatchObject({ code: "Diverged" });
    const fork = await run.fork(1, { effects: "allowed" });
    expect(await fork.result()).toEqual(["d1 a", "d1 b", "d1 c"]);
  });
});
