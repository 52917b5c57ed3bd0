import { describe, expect, it } from "vitest";
import { RunCancelled } from "cairnjs";
import { ActionHost, type CallOutcome, type Dispatch } from "@cairnjs/worker/host";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { type Execution, executions, holding, holdingChild, holdingTwo } from "../workflows/held.ts";

/** All executions for a key, once there are so many. */
function executed(key: string, count = 1): Promise<[Execution, ...Execution[]]> {
  return until(async () => {
    const found = executions.filter((each) => each.key === key);
    return found.length >= count && (found as [Execution, ...Execution[]]);
  });
}

/** Ends all connections of the engine but the test's own. */
async function cutConnections(bed: TestBed, like = "cairn %"): Promise<void> {
  await bed.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1",
    like,
  );
}

const quiet = { onWarning: (): void => {} };

describe("I8 in one process", () => {
  it("the result of a try that another one has taken the place of is reported, that of an aborted one is not", async () => {
    const reported: CallOutcome[] = [];
    const host = new ActionHost<string>({
      capacity: 10,
      worker: "here",
      report: (_owner, outcomes) => void reported.push(...outcomes),
      loaded: () => {},
      streamed: () => {},
      flushed: async () => {},
    });
    const call = {
      incarnation: "this one",
      namespace: "default",
      action: "held.work",
      options: null,
      priority: 0,
      type: "held.one.v1",
      version: "1",
      deadline: null,
      traceparent: null,
    };
    const tryOf = (id: string, attempt: number): Dispatch => ({
      ...call,
      runId: "r",
      call: id,
      attempt,
      args: `["${id} ${attempt}"]`,
    });
    host.dispatch("owner", [tryOf("host a", 1), tryOf("host b", 1)]);
    host.dispatch("owner", [tryOf("host a", 2)]);
    const ended = async (key: string): Promise<void> =>
      (await until(async () => executions.find((execution) => execution.key === key))).succeed(key);
    host.abort([{ runId: "r", call: "host b" }]);
    for (const key of ["host b 1", "host a 1", "host a 2"]) await ended(key);
    await host.idle();
    await until(async () => reported.length === 2);
    expect(reported.map(({ call: id, attempt }) => [id, attempt])).toEqual([
      ["host a", 1],
      ["host a", 2],
    ]);
  });

  it("the idempotency key is the same in all attempts of a call, and of no other call", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(holdingTwo, "keys");
    for (let attempt = 1; attempt <= 3; attempt++) {
      for (const each of ["keys/a", "keys/b"]) {
        const all = await executed(each, attempt);
        if (attempt < 3) all.at(-1)!.fail(new Error("again"));
        else all.at(-1)!.succeed("done");
      }
    }
    expect(await run.result()).toBe("done done");
    const [a, b] = [await executed("keys/a"), await executed("keys/b")];
    expect(a.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(a.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(a[0].idempotencyKey).not.toBe(b[0].idempotencyKey);
    expect(a[0].idempotencyKey.startsWith(run.id)).toBe(true);
  });

  it("a call goes on when the runloop loses its connections; its next life adopts it, and it is executed once", async () => {
    const bed = await testBed();
    const cairn = await bed.open(quiet);
    const run = await cairn.start(holding, "adopted");
    const [execution] = await executed("adopted");
    const before = await bed.query("SELECT owner FROM cairn.queue");
    await cutConnections(bed, "cairn co%");
    await until(async () => {
      const [row] = await bed.query<{ owner: string | null }>("SELECT owner FROM cairn.queue");
      return row!.owner !== null && row!.owner !== before[0]!["owner"];
    });
    execution.succeed("once");
    expect(await run.result()).toBe("once");
    expect(await executed("adopted")).toHaveLength(1);
    expect(await bed.query("SELECT attempt, outcome FROM cairn.step_attempts")).toEqual([
      { attempt: 1, outcome: "succeeded" },
    ]);
  });

  it("a result that comes while there is no connection is kept, and reported to the next life", async () => {
    const bed = await testBed();
    const cairn = await bed.open(quiet);
    const run = await cairn.start(holding, "kept");
    const [execution] = await executed("kept");
    await cutConnections(bed, "cairn co%");
    await until(
      async () =>
        (
          await bed.query(
            "SELECT FROM pg_stat_activity WHERE application_name LIKE 'cairn co%' AND datname = current_database()",
          )
        ).length === 0,
    );
    execution.succeed("kept");
    expect(await run.result()).toBe("kept");
    expect(await executed("kept")).toHaveLength(1);
  });

  it("a run that is paused takes the result when it is resumed; the action is executed once", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(holding, "paused");
    const [execution] = await executed("paused");
    await run.pause();
    await until(async () => (await run.status()).phase === "paused");
    expect(execution.signal.aborted).toBe(false);
    execution.succeed("while paused");
    await until(async () => (await bed.query("SELECT FROM cairn.mailbox WHERE kind = 'outcome'")).length === 1);
    expect(await run.status()).toMatchObject({ status: "pending", phase: "paused" });
    await run.resume();
    expect(await run.result()).toBe("while paused");
    expect(await executed("paused")).toHaveLength(1);
  });

  it("cancel fires the AbortSignal of actions, through children", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(holdingChild, "cancelled");
    const [execution] = await executed("cancelled");
    await run.cancel("enough");
    await expect(run.result()).rejects.toThrow(RunCancelled);
    await until(async () => execution.signal.aborted);
    execution.fail(execution.signal.reason as Error);
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
    expect(await bed.query("SELECT DISTINCT status FROM cairn.workflow_run")).toEqual([{ status: "cancelled" }]);
    expect(await executed("cancelled")).toHaveLength(1);
  });

  it("deleting a run fires it as well, and whoever waits learns of it", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(holding, "deleted");
    const [execution] = await executed("deleted");
    await run.delete("a mistake");
    await expect(run.result()).rejects.toMatchObject({ code: "RunDeleted" });
    await until(async () => execution.signal.aborted);
    execution.succeed("in vain");
  });

  it("a run that fails for good starts its dead letter from library mode too", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(holding, "buried", { deadLetterType: "held.child.v1" });
    for (let attempt = 1; attempt <= 3; attempt++) (await executed("buried", attempt)).at(-1)!.fail(new Error("no"));
    await expect(run.result()).rejects.toThrow("no");
    const refused = await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'dead letter refused'");
    expect(JSON.stringify(refused)).toContain("InvalidInput");
  });
});
