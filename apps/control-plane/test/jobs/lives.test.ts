import { describe, expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { eventsOf, refundOf, rowOf, triesOf, untilRow } from "../support/test-jobs.ts";
import { encode, Fraud, mourn, refund, seen, slow, stubborn } from "../workflows/jobs.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

describe("seed 001, statuses: a job", () => {
  it("is pending until its run_at, then leased, then succeeded, with its result and without a lease", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "s1" }, { runAt: new Date(Date.now() + DAY_MS) });
    expect(await rowOf(bed, job)).toMatchObject({ status: "pending", attempt: 1, leased_by: null, lease_until: null });
    expect(triesOf("s1")).toBe(0);
    await bed.advance(DAY_MS);
    const execution = await refundOf("s1");
    const leased = await rowOf(bed, job);
    expect(leased).toMatchObject({
      status: "leased",
      type: "shop.refund.v1",
      payload: { order: "s1" },
      max_attempts: 3,
    });
    expect(leased["leased_by"]).toEqual(expect.any(String));
    expect(leased["lease_until"]).toEqual(expect.any(Date));
    execution.succeed(4200);
    expect(await job.result()).toBe(4200);
    expect(await rowOf(bed, job)).toMatchObject({
      status: "succeeded",
      result: 4200,
      error: null,
      last_error: null,
      leased_by: null,
      lease_until: null,
    });
    expect(await eventsOf(bed, job)).toEqual(["created", "leased", "started", "succeeded"]);
  });

  it("goes from leased to pending for a retry: attempt + 1, a later run_at, error kept, no lease", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "s2" });
    (await refundOf("s2")).fail(new RangeError("busy"));
    const waiting = await untilRow(bed, job, ({ status, attempt }) => status === "pending" && attempt === 2);
    expect(waiting).toMatchObject({
      last_error: "RangeError: busy",
      leased_by: null,
      lease_until: null,
      phase: "waiting",
      waiting_for: "the next try of shop.refund.v1",
    });
    const [failed] = await bed.query(
      "SELECT error, ended_at, retry_at FROM cairn.failed_attempts WHERE run_id = $1",
      job.id,
    );
    expect(failed!["error"]).toMatchObject({ $error: { names: ["RangeError", "Error"], message: "busy" } });
    expect(waiting["run_at"]).toEqual(failed!["retry_at"]);
    await bed.advance(15_000);
    (await refundOf("s2", 2)).succeed(1);
    expect(await job.result()).toBe(1);
    expect(await rowOf(bed, job)).toMatchObject({ status: "succeeded", attempt: 2 });
    // Whether it was let go of in between depends on how long the wait is.
    const kinds = (await eventsOf(bed, job)).filter((kind) => kind !== "leased");
    expect(kinds).toEqual(["created", "started", "retried", "succeeded"]);
  });

  it("fails hard, without another try, for an error that is not worth one", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "s3" });
    (await refundOf("s3")).fail(new Fraud("again you"));
    await expect(job.result()).rejects.toMatchObject({ name: "Fraud", message: "again you" });
    expect(await rowOf(bed, job)).toMatchObject({ status: "failed", attempt: 1, last_error: "Fraud: again you" });
  });

  it("fails with ActionTimeout when its handler takes longer than it may", async () => {
    const cairn = await (await testBed()).open();
    await expect((await cairn.start(slow)).result()).rejects.toMatchObject({ name: "ActionTimeout" });
  });
});

describe("seed 001, retries: a job", () => {
  it("waits raw + up to raw / 2, raw = min(cap, base * 2^attempt), and is failed after three attempts, with an event for the outbox", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "r1" });
    for (const attempt of [1, 2, 3]) {
      (await refundOf("r1", attempt)).fail(new Error(`try ${attempt}`));
      if (attempt === 3) break;
      await untilRow(bed, job, (row) => row["status"] === "pending" && row["attempt"] === attempt + 1);
      await bed.advance(22_500);
    }
    await expect(job.result()).rejects.toMatchObject({ message: "try 3" });
    expect(await rowOf(bed, job)).toMatchObject({
      status: "failed",
      attempt: 3,
      max_attempts: 3,
      error: { $error: { message: "try 3" } },
      last_error: "Error: try 3",
      leased_by: null,
      lease_until: null,
    });
    const waits = await bed.query<{ ms: number }>(
      `SELECT (extract(epoch FROM retry_at - ended_at) * 1000)::int AS ms FROM cairn.failed_attempts
      WHERE run_id = $1 AND retry_at IS NOT NULL ORDER BY attempt`,
      job.id,
    );
    const [first, second] = waits.map(({ ms }) => ms) as [number, number];
    expect(first).toBeGreaterThanOrEqual(10_000);
    expect(first).toBeLessThanOrEqual(15_000);
    // 20 s, if it were not for the cap.
    expect(second).toBeGreaterThanOrEqual(15_000);
    expect(second).toBeLessThanOrEqual(22_500);
    expect(
      await bed.query("SELECT event_type, payload FROM cairn.outbox_event WHERE aggregate_id = $1", job.id),
    ).toEqual([
      {
        event_type: "cairn.run.failed.v1",
        payload: expect.objectContaining({ type: "shop.refund.v1", attempt: 3, lastError: "Error: try 3" }) as unknown,
      },
    ]);
  });

  it("that has failed is not retried automatically; an operator may, and it has its next attempt", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(stubborn, "r2");
    await expect(job.result()).rejects.toMatchObject({ message: "r2 will not" });
    await bed.advance(DAY_MS);
    expect(await (await cairn.start(encode, "r2")).result()).toBe("r2.webm");
    expect(seen.filter((each) => each === "r2")).toHaveLength(2);
    await job.retry();
    await until(async () => seen.filter((each) => each === "r2").length === 3);
    await expect(job.result()).rejects.toMatchObject({ message: "r2 will not" });
    expect(await rowOf(bed, job)).toMatchObject({ status: "failed", attempt: 2 });
  });

  it("has as many attempts as its start says, whatever its action says", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const more = await cairn.start(stubborn, "r3", { maxAttempts: 2 });
    await untilRow(bed, more, ({ status, attempt }) => status === "pending" && attempt === 2);
    await bed.advance(15_000);
    await expect(more.result()).rejects.toThrow("r3 will not");
    expect(await rowOf(bed, more)).toMatchObject({ attempt: 2, max_attempts: 2 });
    const once = await cairn.start(refund, { order: "r4" }, { maxAttempts: 1 });
    (await refundOf("r4")).fail(new Error("no"));
    await expect(once.result()).rejects.toThrow("no");
    expect(await rowOf(bed, once)).toMatchObject({ attempt: 1, max_attempts: 1 });
  });

  it("is told of in its dead-letter type, another job, with payload and error", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(stubborn, "r5", { deadLetterType: "shop.mourn.v1" });
    await expect(job.result()).rejects.toThrow("r5 will not");
    const letter = await until(async () => (await cairn.runs({ type: "shop.mourn.v1", status: "succeeded" }))[0]);
    expect(letter.type).toBe("shop.mourn.v1");
    const got = seen.filter((each) => (each as { payload?: unknown }).payload === "r5");
    expect(got).toMatchObject([{ payload: "r5", error: { name: "RangeError", message: "r5 will not" } }]);
    expect(await (await cairn.start(mourn, { payload: 1, error: new Error("x") })).result()).toBeUndefined();
  });
});

describe("seed 001, cancelling and deleting: a job", () => {
  it("that is pending is cancelled at once, and never executed", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "c1" }, { runAt: new Date(Date.now() + DAY_MS) });
    await job.cancel("not wanted");
    expect(await rowOf(bed, job)).toMatchObject({ status: "cancelled" });
    await bed.advance(DAY_MS);
    expect(await (await cairn.start(encode, "c1")).result()).toBe("c1.webm");
    expect(triesOf("c1")).toBe(0);
  });

  it("that is leased is cancelled cooperatively: its signal is aborted, and what the handler then says changes nothing", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "c2" });
    const execution = await refundOf("c2");
    await job.cancel("not wanted");
    await expect(job.result()).rejects.toMatchObject({ name: "RunCancelled" });
    await until(async () => execution.signal.aborted);
    execution.succeed(1);
    expect(await (await cairn.start(encode, "c2")).result()).toBe("c2.webm");
    expect(await rowOf(bed, job)).toMatchObject({ status: "cancelled", result: null, leased_by: null });
    expect(await eventsOf(bed, job)).toEqual(["created", "started", "cancelling", "cancelled"]);
  });

  it("that waits for its next try is cancelled, and not tried again", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "c3" });
    (await refundOf("c3")).fail(new Error("busy"));
    await untilRow(bed, job, ({ status, attempt }) => status === "pending" && attempt === 2);
    await job.cancel();
    await expect(job.result()).rejects.toMatchObject({ name: "RunCancelled" });
    await bed.advance(DAY_MS);
    expect(await (await cairn.start(encode, "c3")).result()).toBe("c3.webm");
    expect(triesOf("c3")).toBe(1);
  });

  it("that is soft-deleted is never leased or executed, keeps its status, and says why", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "c4" }, { runAt: new Date(Date.now() + DAY_MS) });
    await job.delete("by mistake");
    await bed.advance(DAY_MS);
    expect(await (await cairn.start(encode, "c4")).result()).toBe("c4.webm");
    const row = await rowOf(bed, job);
    expect(row).toMatchObject({ status: "pending", delete_reason: "by mistake" });
    expect(row["deleted_at"]).toEqual(expect.any(Date));
    expect(triesOf("c4")).toBe(0);
  });

  it("may be soft-deleted whatever its status: one that runs is aborted and not leased again, one that has ended stays as it was", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const running = await cairn.start(refund, { order: "c5" });
    const execution = await refundOf("c5");
    await running.delete();
    await until(async () => execution.signal.aborted);
    execution.succeed(0);
    await expect(running.result()).rejects.toMatchObject({ code: "RunDeleted" });
    const ended = await cairn.start(encode, "c5");
    await ended.result();
    await ended.delete();
    expect(await rowOf(bed, ended)).toMatchObject({ status: "succeeded", result: "c5.webm" });
    expect(await bed.query("SELECT FROM cairn.queue")).toEqual([]);
  });

  it("that has not ended at its deadline is aborted, and fails with DeadlineExceeded", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const job = await cairn.start(refund, { order: "c6" }, { deadline: new Date(Date.now() + DAY_MS) });
    const execution = await refundOf("c6");
    await bed.advance(DAY_MS);
    await expect(job.result()).rejects.toMatchObject({ name: "DeadlineExceeded" });
    await until(async () => execution.signal.aborted);
    execution.succeed(0);
    expect(await rowOf(bed, job)).toMatchObject({ status: "failed" });
  });
});

it("a job that waits for a place in its process for longer than its ttl expires; one that has begun does not", async () => {
  const bed = await testBed();
  const cairn = await bed.open({ concurrency: 1, leaseMs: 3_600_000 });
  const running = await cairn.start(refund, { order: "ttl 1" }, { ttl: "1 minute" });
  const execution = await refundOf("ttl 1");
  const late = await cairn.start(refund, { order: "ttl 2" }, { ttl: "1 minute" });
  await untilRow(bed, late, ({ status }) => status === "leased");
  await bed.advance(61_000);
  await expect(late.result()).rejects.toThrow("The run did not begin in time");
  expect(await rowOf(bed, late)).toMatchObject({ status: "cancelled" });
  execution.succeed(1);
  expect(await running.result()).toBe(1);
  const last = await cairn.start(refund, { order: "ttl 3" });
  (await refundOf("ttl 3")).succeed(3);
  expect(await last.result()).toBe(3);
  expect(triesOf("ttl 2")).toBe(0);
});
