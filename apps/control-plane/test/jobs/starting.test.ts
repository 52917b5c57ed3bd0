import { action } from "cairnjs";
import { afterEach, describe, expect, it } from "vitest";
import { registeredJob } from "../../src/library/registered-job.ts";
import { registerJobs } from "../../src/store/register-jobs.ts";
import type { Queryable } from "../../src/store/statement.ts";
import { testBed } from "../support/test-engine.ts";
import { refundOf, rowOf, untilRow } from "../support/test-jobs.ts";
import { beside, checked, encode, refund, refunds, several, tidy } from "../workflows/jobs.ts";

afterEach(() => {
  for (const each of refunds) each.succeed(0);
});

describe("a job is started", () => {
  it.each([0, 1])(
    "by its action or by its name, with its payload as the one argument (runloops: %i)",
    async (runloops) => {
      const cairn = await (await testBed()).open({ runloops });
      expect(await (await cairn.start(encode, "a")).result()).toBe("a.webm");
      expect(await (await cairn.start("media.encode.v1", "b")).result()).toBe("b.webm");
      expect(await (await cairn.start(tidy)).result()).toBe("tidied");
      expect(await (await cairn.start("shop.several.v1", 1)).result()).toBe("1 undefined undefined");
    },
  );

  it("by SQL, is listed by its type, and its one step has its tries", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const [row] = await bed.query<{ id: string }>(
      `SELECT cairn.start_run('shop.refund.v1', '{"order":"q1"}', '{"maxAttempts":2}') AS id`,
    );
    (await refundOf("q1")).fail(new Error("busy"));
    const job = cairn.run(row!.id);
    await untilRow(bed, job, ({ status, attempt }) => status === "pending" && attempt === 2);
    await bed.advance(15_000);
    (await refundOf("q1", 2)).succeed(7);
    expect(await job.result()).toBe(7);
    expect(await cairn.runs({ type: "shop.refund.v1" })).toMatchObject([
      { id: job.id, status: "succeeded", attempt: 2 },
    ]);
    const steps = await job.steps();
    expect(steps).toMatchObject([
      { node: "job", kind: "action", name: "shop.refund.v1", args: [{ order: "q1" }], status: "succeeded", result: 7 },
    ]);
    expect(steps[0]!.attempts.map(({ attempt, outcome }) => ({ attempt, outcome }))).toEqual([
      { attempt: 1, outcome: "failed" },
      { attempt: 2, outcome: "succeeded" },
    ]);
  });

  it("only if its schema takes the payload, which is stored as it was given", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await expect(cairn.start(checked, { cents: 0 })).rejects.toMatchObject({ name: "InvalidInput" });
    await expect(cairn.start("shop.checked.v1", { cents: "x" })).rejects.toMatchObject({ name: "InvalidInput" });
    expect(await bed.query("SELECT FROM cairn.runs")).toEqual([]);
    const job = await cairn.start("shop.checked.v1", { cents: "12" });
    expect(await job.result()).toBe("number");
    expect(await rowOf(bed, job)).toMatchObject({ payload: { cents: "12" } });
    // SQL has no schemas: whoever runs it finds out, and does not try again.
    const [row] = await bed.query<{ id: string }>(`SELECT cairn.start_run('shop.checked.v1', '{"cents":0}') AS id`);
    await expect(cairn.run(row!.id).result()).rejects.toMatchObject({ name: "InvalidInput" });
    expect(await rowOf(bed, { id: row!.id })).toMatchObject({ status: "failed", attempt: 1 });
  });

  it("once for an idempotency key, until the run is deleted; another payload under it is refused", async () => {
    const cairn = await (await testBed()).open();
    const first = await cairn.start(refund, { order: "i1" }, { idempotencyKey: "k" });
    expect((await cairn.start(refund, { order: "i1" }, { idempotencyKey: "k" })).id).toBe(first.id);
    await expect(cairn.start(refund, { order: "i2" }, { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "IdempotencyConflict",
    });
    await first.delete();
    expect((await cairn.start(refund, { order: "i1" }, { idempotencyKey: "k" })).id).not.toBe(first.id);
  });

  it("beside workflows that call the same action", async () => {
    const cairn = await (await testBed()).open();
    const both = [await cairn.start(beside, "w"), await cairn.start(encode, "w")];
    expect(await Promise.all(both.map((run) => run.result()))).toEqual(["w.webm", "w.webm"]);
  });
});

describe("actions", () => {
  it("of new types need no change of the schema: one that is declared later is registered when it is started", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const late = action("later.echo.v1", async (text: string) => text);
    expect(await (await cairn.start(late, "x")).result()).toBe("x");
    expect(await bed.query("SELECT kind FROM cairn.workflow_versions WHERE name = 'later.echo.v1'")).toEqual([
      { kind: "action" },
    ]);
  });

  it("are registered by one statement for a thousand", async () => {
    const bed = await testBed();
    let statements = 0;
    const counting = {
      query: (...args: Parameters<typeof bed.sql.query>) => {
        statements += 1;
        return bed.sql.query(...args);
      },
    } as Queryable;
    const jobs = Array.from({ length: 1_000 }, (_, index) => registeredJob(`many.a${index}.v1`, 3, null));
    await registerJobs(counting, "default", jobs);
    await registerJobs(counting, "default", jobs);
    expect(statements).toBe(2);
    expect(await bed.query("SELECT FROM cairn.current_versions WHERE name LIKE 'many.%'")).toHaveLength(1_000);
  });

  it("that two processes register at once in different orders are all registered", async () => {
    const bed = await testBed();
    const jobs = Array.from({ length: 300 }, (_, index) => registeredJob(`both.a${index}.v1`, 3, null));
    const cairns = await Promise.all([bed.open(), bed.open()]);
    await Promise.all([
      registerJobs(bed.sql, "default", jobs),
      cairns[0].register(...declareAll("both", 300).toReversed()),
      cairns[1].register(...declareAll("both", 300)),
    ]);
    expect(await bed.query("SELECT FROM cairn.current_versions WHERE name LIKE 'both.%'")).toHaveLength(300);
  });

  it("may say other attempts later: jobs that start from then on have these", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await registerJobs(bed.sql, "default", [registeredJob("shop.refund.v1", 9, null)]);
    const [row] = await bed.query<{ id: string }>(`SELECT cairn.start_run('shop.refund.v1', '{"order":"m1"}') AS id`);
    expect(await rowOf(bed, { id: row!.id })).toMatchObject({ max_attempts: 9 });
    await cairn.close();
    const again = await bed.open();
    expect(await rowOf(bed, await again.start(refund, { order: "m2" }))).toMatchObject({ max_attempts: 3 });
  });

  it("that take several arguments cannot be started with one, to the type checker, and get nothing for the others", async () => {
    const cairn = await (await testBed()).open();
    // @ts-expect-error a job has one payload
    expect(await (await cairn.start(several, 1)).result()).toBe("1 undefined undefined");
  });
});

function declareAll(segment: string, count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => action(`${segment}.a${index}.v1`, async () => index));
}
