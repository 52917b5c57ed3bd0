import { action } from "cairnjs";
import { afterEach, describe, expect, it } from "vitest";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { declareElsewhere, refundOf, rowOf, triesOf, untilRow } from "../support/test-jobs.ts";
import { openLoop } from "../support/test-runloop.ts";
import { beside, encode, refund, refunds, seen } from "../workflows/jobs.ts";

afterEach(() => {
  for (const each of refunds) each.succeed(0);
});

const heldJobs = async (bed: TestBed): Promise<number> =>
  (await bed.query("SELECT FROM cairn.queue WHERE state = 'held'")).length;

describe("seed 001, routing: jobs", () => {
  it("are divided by the first segment of their types; those that no process here serves wait, also when they are started here", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await declareElsewhere(bed, "elsewhere.work.v1");
    const waiting = await cairn.start("elsewhere.work.v1", { n: 1 });
    const served = await cairn.start(encode, "p1");
    expect(await served.result()).toBe("p1.webm");
    expect(await bed.query("SELECT run_id, pool, state FROM cairn.queue")).toEqual([
      { run_id: waiting.id, pool: "default:elsewhere", state: "ready" },
    ]);
    expect(await rowOf(bed, waiting)).toMatchObject({ status: "pending", leased_by: null });
    // As when its module is loaded.
    action("elsewhere.work.v1", async ({ n }: { n: number }) => n + 1);
    await cairn.registerDeclared();
    expect(await waiting.result()).toBe(2);
  });

  it("of another segment that a run starts as its dead letter wait too", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await declareElsewhere(bed, "graveyard.bury.v1", "shop.gone.v1");
    const job = await cairn.start("shop.gone.v1", "p2", { deadLetterType: "graveyard.bury.v1" });
    await expect(job.result()).rejects.toMatchObject({ name: "NoHandlerRegistered" });
    const [letter] = await cairn.runs({ type: "graveyard.bury.v1" });
    expect(letter).toMatchObject({ status: "pending" });
    expect(await bed.query("SELECT pool, state FROM cairn.queue")).toEqual([
      { pool: "default:graveyard", state: "ready" },
    ]);
  });

  it("of a type that the process which serves its prefix lacks fail at once, with exactly no_handler_registered, and an event for the outbox", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await declareElsewhere(bed, "shop.unknown.v1");
    const job = await cairn.start("shop.unknown.v1", { n: 1 });
    await expect(job.result()).rejects.toMatchObject({ name: "NoHandlerRegistered" });
    expect(await rowOf(bed, job)).toMatchObject({
      status: "failed",
      last_error: "no_handler_registered",
      attempt: 1,
      max_attempts: 3,
    });
    expect(await bed.query("SELECT FROM cairn.failed_attempts WHERE run_id = $1", job.id)).toHaveLength(1);
    expect(await bed.query("SELECT event_type FROM cairn.outbox_event WHERE aggregate_id = $1", job.id)).toEqual([
      { event_type: "cairn.run.failed.v1" },
    ]);
  });

  it("of other namespaces are left alone", async () => {
    const bed = await testBed();
    const [cairn, other] = [await bed.open(), await bed.open({ namespace: "other" })];
    const job = await other.start(encode, "p3");
    expect(await job.result()).toBe("p3.webm");
    await expect(cairn.run(job.id).status()).rejects.toMatchObject({ code: "NotFound" });
    await other.close();
    await bed.query("SELECT cairn.start_run('media.encode.v1', '\"p4\"', '{\"namespace\":\"other\"}')");
    expect(await (await cairn.start(encode, "p5")).result()).toBe("p5.webm");
    expect(seen).not.toContain("p4");
  });

  it("I12: are claimed as far as there is room for their calls, and the others as soon as there is again", async () => {
    const bed = await testBed();
    const orders = Array.from({ length: 20 }, (_, index) => `room ${index}`);
    await (await bed.open()).close();
    for (const order of orders) {
      await bed.query("SELECT cairn.start_run('shop.refund.v1', json_build_object('order', $1::text))", order);
    }
    const cairn = await bed.open({ concurrency: 3 });
    const begun = (): number => refunds.filter(({ order }) => orders.includes(order)).length;
    await until(async () => begun() === 3 && (await heldJobs(bed)) === 6);
    // A workflow needs no room, and its own call waits for its turn among them.
    const workflow = await cairn.start(beside, "room");
    await bed.query("SELECT pg_notify('cairn_work', '')");
    await until(async () => (await rowOf(bed, workflow))["status"] === "leased");
    expect(await heldJobs(bed)).toBeLessThanOrEqual(7);
    for (let ended = 0; ended < orders.length; ended++) {
      await until(async () => begun() > ended);
      refunds.filter(({ order }) => orders.includes(order))[ended]!.succeed(1);
    }
    expect(await workflow.result()).toBe("room.webm");
    await until(async () => (await cairn.runs({ type: "shop.refund.v1", status: "succeeded" })).length === 20);
  });

  it("I12: that are started where there is no room for their calls are left to others", async () => {
    const bed = await testBed();
    const full = await bed.open({ concurrency: 1 });
    const left: string[] = [];
    for (let n = 0; n < 8; n++) {
      const job = await full.start(refund, { order: `full ${n}` });
      if ((await rowOf(bed, job))["status"] === "pending") left.push(`full ${n}`);
    }
    // It takes two: one that runs, one ahead. Another one or two may be held before these are known to be under way.
    expect(left.length).toBeGreaterThanOrEqual(4);
    await bed.open();
    for (const order of left) await refundOf(order);
    await until(async () => {
      for (const each of refunds) each.succeed(3);
      return (await full.runs({ type: "shop.refund.v1", status: "succeeded" })).length === 8;
    });
  });

  it("I12: that are started one after another are each held at once: what has ended takes no room", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ concurrency: 1 });
    for (let n = 0; n < 6; n++) {
      const job = await cairn.start(refund, { order: `in turn ${n}` });
      expect(await rowOf(bed, job)).toMatchObject({ status: "leased" });
      (await refundOf(`in turn ${n}`)).succeed(n);
      expect(await job.result()).toBe(n);
    }
  });

  it("I12: that are claimed and have no call to make take no room from others", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ concurrency: 1 });
    const orders = ["none 1", "none 2", "none 3", "none 4"];
    const jobs = [];
    for (const order of orders) {
      const job = await cairn.start(refund, { order });
      (await refundOf(order)).fail(new Error("busy"));
      await untilRow(bed, job, ({ status, attempt }) => status === "pending" && attempt === 2);
      jobs.push(job);
    }
    await Promise.all(jobs.map((job) => job.cancel()));
    for (const job of jobs) await untilRow(bed, job, ({ status }) => status === "cancelled");
    expect(await (await cairn.start(encode, "none")).result()).toBe("none.webm");
  });

  it("of higher priority come first, then those of an earlier run_at", async () => {
    const bed = await testBed();
    await (await bed.open()).close();
    const priorities = { low: -5, usual: 0, "usual, later": 0, high: 10 };
    for (const [order, priority] of Object.entries(priorities)) {
      const values = [JSON.stringify({ order }), JSON.stringify({ priority })];
      await bed.query("SELECT cairn.start_run('shop.refund.v1', $1::json, $2::jsonb)", ...values);
    }
    await bed.open({ concurrency: 1 });
    const taken = await until(async () => {
      for (const each of refunds) each.succeed(0);
      const rows = await bed.query("SELECT payload, started_at FROM cairn.workflow_run WHERE status = 'succeeded'");
      return (
        rows.length === 4 &&
        new Map(rows.map((row) => [(row["payload"] as { order: string }).order, row["started_at"] as Date]))
      );
    });
    // One is taken ahead of the one at work: of two that are taken at once, which have one time, either may begin.
    const times = ["high", "usual", "usual, later", "low"].map((order) => taken.get(order)!.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeLessThan(times[3]!);
  });
});

describe("jobs as all runs", () => {
  it("do not starve: one claim in ten is by age alone", async () => {
    const bed = await testBed();
    await (await bed.open()).close();
    const start = (file: string, priority: number): Promise<unknown> =>
      bed.query(
        "SELECT cairn.start_run('media.encode.v1', to_json($1::text), $2::jsonb)",
        file,
        JSON.stringify({ priority }),
      );
    await start("starving", -100);
    for (let n = 0; n < 40; n++) await start(`urgent ${n}`, 100);
    const cairn = await bed.open({ concurrency: 1 });
    await until(async () => (await cairn.runs({ type: "media.encode.v1", status: "succeeded" })).length === 41);
    const order = seen.filter((each) => each === "starving" || String(each).startsWith("urgent"));
    expect(order.indexOf("starving")).toBeGreaterThan(0);
    expect(order.indexOf("starving")).toBeLessThan(35);
  });

  it("are held alone if their owners went down with them, where their segment is served", async () => {
    const bed = await testBed();
    await (await bed.open()).close();
    await declareElsewhere(bed, "remote.work.v1");
    await bed.query(`SELECT cairn.start_run('remote.work.v1', '1'), cairn.start_run('media.encode.v1', '"suspect"')`);
    await bed.query("UPDATE cairn.queue SET crashes = 2");
    const cairn = await bed.open();
    await until(async () => (await cairn.runs({ status: "succeeded" })).length === 1);
    expect(seen).toContain("suspect");
    expect(await cairn.runs({ type: "remote.work.v1" })).toMatchObject([{ status: "pending" }]);
  });
});

describe("seed 001, leases: a job", () => {
  it("is leased by one process at a time: of fifty that two may claim, each is executed once", async () => {
    const bed = await testBed();
    const [one, two] = [await bed.open(), await bed.open()];
    const files = Array.from({ length: 50 }, (_, index) => `once ${index}`);
    for (const file of files) await bed.query("SELECT cairn.start_run('media.encode.v1', to_json($1::text))", file);
    await until(async () => (await one.runs({ type: "media.encode.v1", status: "succeeded" })).length === 50);
    expect(seen.filter((each) => files.includes(each as string)).toSorted()).toEqual(files.toSorted());
    await Promise.all([one.close(), two.close()]);
  });

  it("stays leased while its process says that it is there, and the lease is extended", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ leaseMs: 1_000, heartbeatMs: 200 });
    const job = await cairn.start(refund, { order: "l1" });
    const execution = await refundOf("l1");
    await bed.open();
    const first = (await rowOf(bed, job))["lease_until"] as Date;
    // Longer than the first lease: without heartbeats the other process would have it by now.
    await untilRow(bed, job, (row) => (row["lease_until"] as Date).getTime() > first.getTime() + 1_000);
    expect(await rowOf(bed, job)).toMatchObject({ status: "leased" });
    execution.succeed(1);
    expect(await job.result()).toBe(1);
    expect(triesOf("l1")).toBe(1);
  });

  it("of a process that is gone is claimed by another one when the lease has run out, and that counts as no attempt", async () => {
    const bed = await testBed();
    const gone = await openLoop(bed, { leaseMs: 30_000 });
    await declareElsewhere(bed, "shop.refund.v1");
    await bed.query(`SELECT cairn.start_run('shop.refund.v1', '{"order":"l2"}')`);
    gone.runloop.poke();
    const { runId } = await gone.call(0);
    expect(await rowOf(bed, { id: runId })).toMatchObject({ status: "leased" });
    const cairn = await bed.open();
    await bed.advance(31_000);
    (await refundOf("l2", 2)).succeed(2);
    expect(await cairn.run(runId).result()).toBe(2);
    expect(await rowOf(bed, { id: runId })).toMatchObject({ status: "succeeded", attempt: 1 });
  });

  it("of a type with a lease of its own is held under that, also when SQL starts it", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ leases: { "shop.": 120_000 } });
    const job = await cairn.start(refund, { order: "l3" });
    const [sql] = await bed.query<{ id: string }>(`SELECT cairn.start_run('shop.refund.v1', '{"order":"l4"}') AS id`);
    const file = await cairn.start(encode, "l5");
    for (const order of ["l3", "l4"]) await refundOf(order);
    const lengths = await bed.query(
      `SELECT q.pool, o.lease_ms FROM cairn.queue AS q JOIN cairn.owners AS o ON o.id = q.owner
      WHERE q.run_id = ANY ($1)`,
      [job.id, sql!.id],
    );
    const expected = { pool: "default:@120000:shop", lease_ms: 120_000 };
    expect(lengths).toEqual([expected, expected]);
    expect(await file.result()).toBe("l5.webm");
    for (const order of ["l3", "l4"]) (await refundOf(order)).succeed(5);
    expect(await Promise.all([job, cairn.run(sql!.id)].map((each) => each.result()))).toEqual([5, 5]);
  });
});
