import { describe, expect, it } from "vitest";
import { Claims } from "../../src/runloop/claims.ts";
import { sendMail } from "../../src/store/mail.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { connect, openLoop, startUnowned, type TestLoop } from "../support/test-runloop.ts";
import { chatty, fan, oneCall, spinning, spinsBesideCall, spinsPerSignal, twoCalls } from "../workflows/runloop.ts";

const count = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

describe("I11: no run harms another", () => {
  it("of one run 1,000 calls are dispatched; further ones wait for these to end, and each is dispatched once", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(fan, 2_500);
    await loop.call(999);
    expect(loop.dispatched).toHaveLength(1_000);
    for (const call of loop.dispatched.slice(0, 300)) loop.answer(call, 0);
    await loop.call(1_299);
    expect(loop.dispatched).toHaveLength(1_300);
    let answered = 300;
    await until(async () => {
      for (; answered < loop.dispatched.length; answered++) loop.answer(loop.dispatched[answered]!, 0);
      return loop.ended.length === 1;
    });
    expect(await loop.end(run)).toMatchObject({ value: "2500" });
    expect(new Set(loop.dispatched.map(({ call }) => call)).size).toBe(2_500);
    expect(loop.dispatched).toHaveLength(2_500);
  });

  it("a transition of more than 5,000 rows is committed apart from those of others", async () => {
    const bed = await testBed();
    const [large] = (await startUnowned(bed, chatty, [6_000])) as [string];
    await startUnowned(bed, oneCall, count(20));
    const loop = await openLoop(bed);
    loop.runloop.poke();
    await loop.call(20);
    const together = await bed.query(
      `SELECT FROM cairn.history AS h JOIN cairn.history AS other ON h.xmin::text = other.xmin::text
      WHERE h.run_id = $1 AND other.run_id <> $1`,
      large,
    );
    expect(together).toEqual([]);
    expect(await bed.query("SELECT FROM cairn.run_events WHERE kind = 'progress'")).toHaveLength(6_000);
  });

  it("a batch takes no more than 5,000 rows", async () => {
    const bed = await testBed();
    await startUnowned(
      bed,
      chatty,
      count(20).map(() => 1_000),
    );
    const loop = await openLoop(bed);
    loop.runloop.poke();
    await loop.call(19);
    const [largest] = await bed.query<{ rows: number }>(
      "SELECT count(*)::int AS rows FROM cairn.run_events WHERE kind = 'progress' GROUP BY xmin::text ORDER BY 1 DESC",
    );
    expect(largest!.rows).toBeLessThanOrEqual(5_000);
    expect(largest!.rows).toBeGreaterThan(1_000);
  });

  it("a slow program does not keep others of its runloop waiting: they end, over many steps, before it does", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const slow = await loop.start(spinning, 15_000_000);
    const quick = await loop.start(fan, 3);
    for (let n = 0; n < 3; n++) loop.answer(await loop.call(n), n);
    const steps = await loop.start(twoCalls, 1);
    for (let n = 3; n < 5; n++) loop.answer(await loop.call(n), n);
    expect(await loop.end(slow)).toMatchObject({ status: "succeeded" });
    expect(loop.ended.map(({ runId }) => runId)).toEqual([quick, steps, slow]);
  });

  it("a run with much mail, each piece of it some work, makes way in between as well", async () => {
    const bed = await testBed();
    const [slow] = (await startUnowned(bed, spinsPerSignal, [{ count: 1_000, rounds: 12_000 }])) as [string];
    const letters = count(1_000).map((n) => ({
      runId: slow,
      kind: "signal" as const,
      call: null,
      name: "news",
      value: String(n),
    }));
    await sendMail(await connect(bed), letters);
    const loop = await openLoop(bed);
    loop.runloop.poke();
    await until(async () => loop.runloop.held === 1);
    const quick = await loop.start(twoCalls, 1);
    for (let n = 0; n < 2; n++) loop.answer(await loop.call(n), n);
    await loop.end(slow);
    expect(loop.ended.map(({ runId }) => runId)).toEqual([quick, slow]);
  });

  it("loading a run whose inputs are much work makes way as well", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const slow = await first.start(spinsBesideCall, { count: 250, rounds: 50_000 });
    await first.call(0);
    const letters = count(249).map((n) => ({
      runId: slow,
      kind: "signal" as const,
      call: null,
      name: "news",
      value: String(n),
    }));
    await sendMail(await connect(bed), letters);
    first.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox")).length === 0);
    await first.runloop.close();

    const next = await openLoop(bed);
    const quick = await next.start(twoCalls, 1);
    const call = await next.call(0);
    next.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE state = 'held'")).length === 2);
    next.answer(call, 1);
    next.answer(await next.call(1), 2);
    await next.end(quick);
    expect(next.adopted).toEqual([]);
    await until(async () => next.adopted.length === 1);
  });

  it("holds no more than it has room for, and claims the rest as room comes", async () => {
    const bed = await testBed();
    await startUnowned(bed, oneCall, count(12));
    const loop = await openLoop(bed, { heldMax: 5 });
    loop.runloop.poke();
    await loop.call(4);
    loop.runloop.poke();
    expect(loop.runloop.held).toBe(5);
    expect(await bed.query("SELECT FROM cairn.queue WHERE state = 'ready'")).toHaveLength(7);
    let answered = 0;
    await until(async () => {
      for (; answered < loop.dispatched.length; answered++) loop.answer(loop.dispatched[answered]!, 0);
      return loop.ended.length === 12;
    });
  });
});

describe("I12: fair", () => {
  /** Claims one at a time, with a clock of the test's own. */
  class OneByOne {
    readonly #loop: TestLoop;
    readonly #claims = new Claims(() => this.nowMs);
    nowMs = 10_000;

    constructor(loop: TestLoop) {
      this.#loop = loop;
    }

    async take(n = 1, serves: (pool: string) => number = () => 100): Promise<string[]> {
      const claimed = await this.#claims.take(this.#loop.control, this.#loop.owner, n, serves);
      return claimed.map(({ id }) => id);
    }
  }

  async function oneByOne(bed: TestBed): Promise<OneByOne> {
    return new OneByOne(await openLoop(bed, { heldMax: 0 }));
  }

  it("claims by priority, then by age", async () => {
    const bed = await testBed();
    const claims = await oneByOne(bed);
    const [old] = await startUnowned(bed, oneCall, [1]);
    const [young] = await startUnowned(bed, oneCall, [1]);
    const [low] = await startUnowned(bed, oneCall, [1], { priority: -100 });
    const [high] = await startUnowned(bed, oneCall, [1], { priority: 100 });
    const taken = [];
    for (let n = 0; n < 4; n++) taken.push(...(await claims.take()));
    expect(taken).toEqual([high, old, young, low]);
  });

  it("one claim in ten is by age alone, so that nothing starves behind higher priorities", async () => {
    const bed = await testBed();
    const claims = await oneByOne(bed);
    const [old] = await startUnowned(bed, oneCall, [1], { priority: -100 });
    await startUnowned(bed, oneCall, count(30), { priority: 100 });
    const taken: string[] = [];
    for (let n = 0; n < 10; n++) taken.push(...(await claims.take()));
    expect(taken.indexOf(old!)).toBe(9);
  });

  it("a higher priority that comes later is claimed next, at the latest when it is looked from the front again", async () => {
    const bed = await testBed();
    const claims = await oneByOne(bed);
    await startUnowned(bed, oneCall, count(50));
    await claims.take(5);
    const [high] = await startUnowned(bed, oneCall, [1], { priority: 50 });
    claims.nowMs += 1_000;
    expect(await claims.take()).toEqual([high]);
    const [next] = await startUnowned(bed, oneCall, [1], { priority: 50 });
    expect(await claims.take()).toEqual([next]);
  });

  it("goes on from where it was, and looks from the front once a second, or when nothing is left there", async () => {
    const bed = await testBed();
    const claims = await oneByOne(bed);
    await startUnowned(bed, oneCall, count(3));
    await claims.take();
    const [late] = await startUnowned(bed, oneCall, [1]);
    await bed.query("UPDATE cairn.queue SET ready_at = ready_at - interval '1 minute' WHERE run_id = $1", late);
    expect(await claims.take()).not.toContain(late);
    claims.nowMs += 1_000;
    expect(await claims.take()).toEqual([late]);

    const [later] = await startUnowned(bed, oneCall, [1]);
    await bed.query("UPDATE cairn.queue SET ready_at = ready_at - interval '2 minutes' WHERE run_id = $1", later);
    expect(await claims.take()).not.toContain(later);
    expect(await claims.take()).toEqual([later]);
  });

  it("takes from pools that are served alone, as many as there is credit for", async () => {
    const bed = await testBed();
    const claims = await oneByOne(bed);
    const mine = await startUnowned(bed, oneCall, count(3), { pool: "default:billing" });
    await startUnowned(bed, oneCall, count(3), { pool: "default:media" });
    const taken = await claims.take(10, (pool) => (pool === "default:billing" ? 2 : 0));
    expect(taken).toHaveLength(2);
    expect(mine).toEqual(expect.arrayContaining(taken));
  });

  it("where there is little room, each pool has it in turn", async () => {
    const bed = await testBed();
    const claims = await oneByOne(bed);
    const a = await startUnowned(bed, oneCall, count(10), { pool: "a:*" });
    const b = await startUnowned(bed, oneCall, count(10), { pool: "b:*" });
    const taken: string[] = [];
    for (let n = 0; n < 6; n++) taken.push(...(await claims.take()));
    expect(taken.filter((id) => a.includes(id))).toHaveLength(3);
    expect(taken.filter((id) => b.includes(id))).toHaveLength(3);
  });

  it("two that claim at once never take the same run", async () => {
    const bed = await testBed();
    const runs = await startUnowned(bed, oneCall, count(200));
    const loops = await Promise.all([openLoop(bed), openLoop(bed), openLoop(bed)]);
    for (const { runloop } of loops) runloop.poke();
    await until(async () => loops.reduce((sum, { dispatched }) => sum + dispatched.length, 0) >= runs.length);
    const dispatched = loops.flatMap((loop) => loop.dispatched.map(({ runId }) => runId));
    expect(new Set(dispatched)).toEqual(new Set(runs));
    expect(dispatched).toHaveLength(runs.length);
  });
});
