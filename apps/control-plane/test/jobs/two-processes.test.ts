import { action } from "cairnjs";
import { describe, expect, it } from "vitest";
import { effectsFolder, killed, startApp } from "../support/crashing-app.ts";
import { testBed, until } from "../support/test-engine.ts";
import { eventsOf, rowOf, untilRow } from "../support/test-jobs.ts";

// The app has the actions crash.work.v1, crash.shaky.v1 and crash.undo.v1, which this process lacks.
const here = action("crash.here.v1", async (n: number) => -n);

describe("two processes with different actions of one segment", () => {
  it("run each other's jobs: whoever claims one that it lacks gives it back, and that is no attempt", async () => {
    const bed = await testBed();
    const app = await startApp(bed.url, effectsFolder());
    const cairn = await bed.open();
    const jobs = [];
    for (let n = 0; n < 20; n++) {
      jobs.push({ job: await cairn.start("crash.shaky.v1", n), result: n * 2, attempt: 2 });
      jobs.push({ job: await cairn.start(here, n), result: -n, attempt: 1 });
    }
    for (const { job, result, attempt } of jobs) {
      expect(await job.result()).toBe(result);
      expect(await rowOf(bed, job)).toMatchObject({ status: "succeeded", attempt });
    }
    expect(await bed.query("SELECT FROM cairn.failed_attempts WHERE outcome = 'lost'")).toEqual([]);
    expect(new Set(await eventsOf(bed, jobs[0]!.job))).toEqual(
      new Set(["created", "leased", "started", "retried", "succeeded"]),
    );
    await killed(app);
  });

  it("say what a job waits for while the other one may be there, and it fails when that one is gone", async () => {
    const bed = await testBed();
    const app = await startApp(bed.url, effectsFolder());
    const cairn = await bed.open();
    await killed(app);
    // Nobody has noticed yet.
    const job = await cairn.start("crash.undo.v1");
    await untilRow(bed, job, (row) => row["waiting_for"] === "a process that has crash.undo.v1");
    expect(await rowOf(bed, job)).toMatchObject({ status: "pending", attempt: 1 });
    await bed.advance(31_000);
    await expect(job.result()).rejects.toMatchObject({ name: "NoHandlerRegistered" });
    expect(await rowOf(bed, job)).toMatchObject({ last_error: "no_handler_registered" });
    expect(await bed.query("SELECT FROM cairn.failed_attempts WHERE outcome = 'lost'")).toEqual([]);
  });

  it("also run calls of workflows that one of them lacks", async () => {
    const bed = await testBed();
    const app = await startApp(bed.url, effectsFolder());
    const cairn = await bed.open();
    const runs = await Promise.all([1, 2, 3].map((n) => cairn.start("crash.parent.v1", { n, steps: 3 })));
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results).toEqual([12, 15, 18]);
    await killed(app);
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
  });
});
