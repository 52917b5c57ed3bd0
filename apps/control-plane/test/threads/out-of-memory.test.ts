import { describe, expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import { glutton, light } from "../workflows/heavy.ts";
import { type Execution, executions, holding } from "../workflows/held.ts";

/** Beyond what a thread of 64 MB has, and within what a run may hold. */
const ITEMS = 300_000;

describe("a thread that runs out of memory", () => {
  it("I7: is started again; the run that takes it down fails alone, and no other", { timeout: 120_000 }, async () => {
    const bed = await testBed();
    const warnings: string[] = [];
    const cairn = await bed.open({
      runloops: 1,
      memoryMb: 64,
      onWarning: (message, error) => warnings.push(`${message}: ${(error as { code?: string }).code}`),
    });
    const keys = ["beside a", "beside b", "beside c"];
    const running = (): Execution[] => executions.filter(({ key }) => keys.includes(key));
    const held = await Promise.all(keys.map((key) => cairn.start(holding, key)));
    await until(async () => running().length === 3);
    const culprit = await cairn.start(glutton, ITEMS);
    const failure = culprit.result().catch((error: unknown) => error);
    await until(async () => warnings.some((warning) => warning.includes("ERR_WORKER_OUT_OF_MEMORY")));
    // What is started while there is no thread, or it is about to go down, waits and is done.
    const beside = await Promise.all(Array.from({ length: 10 }, () => cairn.start(light, 20)));
    expect(await Promise.all(beside.map((run) => run.result()))).toEqual(beside.map(() => 190));

    expect(await failure).toMatchObject({ name: "CrashLimit" });
    expect(await culprit.status()).toMatchObject({
      status: "failed",
      lastError: expect.stringContaining("CrashLimit"),
    });
    const crashes = warnings.filter((warning) => warning === "A runloop went down: ERR_WORKER_OUT_OF_MEMORY");
    expect(crashes).toHaveLength(7);
    const owners = await bed.query<{ alone: boolean }>("SELECT alone FROM cairn.owners ORDER BY alone");
    expect(owners).toEqual([{ alone: false }, { alone: true }]);

    // These were running all the time, once each; their results go to whoever holds the runs now.
    const tries = running().map(({ key, attempt }) => `${key} ${attempt}`);
    expect(tries.sort()).toEqual(keys.map((key) => `${key} 1`));
    for (const { key, succeed } of running()) succeed(`${key} done`);
    expect(await Promise.all(held.map((run) => run.result()))).toEqual(keys.map((key) => `${key} done`));
    expect(running()).toHaveLength(3);
    const statuses = await bed.query("SELECT DISTINCT status FROM cairn.runs WHERE id <> $1", culprit.id);
    expect(statuses).toEqual([{ status: "succeeded" }]);
  });

  it("while the engine is closed: what ends in the meantime is not lost", { timeout: 120_000 }, async () => {
    const bed = await testBed();
    let down = (): void => {};
    const isDown = new Promise<void>((resolve) => (down = resolve));
    const cairn = await bed.open({
      runloops: 1,
      memoryMb: 64,
      onWarning: (message) => (message === "A runloop went down" ? down() : undefined),
    });
    const run = await cairn.start(holding, "without a thread");
    const execution = await until(async () => executions.find(({ key }) => key === "without a thread"));
    await cairn.start(glutton, ITEMS);
    await isDown;
    const closed = cairn.close();
    execution.succeed("kept");
    await closed;
    expect(await bed.query("SELECT kind FROM cairn.mailbox WHERE run_id = $1", run.id)).toEqual([{ kind: "outcome" }]);
  });
});
