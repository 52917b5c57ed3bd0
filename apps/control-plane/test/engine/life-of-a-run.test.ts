import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testBed, until } from "../support/test-engine.ts";
import {
  approved,
  done,
  echo,
  family,
  optioned,
  parallel,
  retrying,
  sleeper,
  stepping,
  sums,
  throws,
  undone,
} from "../workflows/basics.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

describe("a run", () => {
  it("runs its steps one after another, and its result is kept", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(sums, { n: 10 });
    expect(await run.result()).toBe(55);
    expect(await cairn.run(run.id).result()).toBe(55);
    expect(await bed.query("SELECT status, result FROM cairn.runs")).toEqual([{ status: "succeeded", result: 55 }]);
    expect(await bed.query("SELECT * FROM cairn.queue")).toEqual([]);
  });

  it("runs steps in parallel, and lifted steps", async () => {
    const cairn = await (await testBed()).open();
    expect(await (await cairn.start(parallel, 50)).result()).toBe(1275);
    expect(await (await cairn.start(stepping, "you")).result()).toBe("Hello, you");
  });

  it("sleeps for two weeks without a process that holds it", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(sleeper, 14);
    const parked = await until(async () => {
      const status = await run.status();
      return status.phase === "sleeping" && status;
    });
    expect(parked).toMatchObject({ status: "pending", waitingFor: "the time to come: sleeper/sleep" });
    await bed.advance(13 * DAY_MS);
    expect(await run.status()).toMatchObject({ status: "pending" });
    await bed.advance(1 * DAY_MS);
    expect(await run.result()).toBeGreaterThanOrEqual(14 * DAY_MS);
  });

  it("takes signals in the order they were sent, those sent before it waited too", async () => {
    const cairn = await (await testBed()).open();
    const run = await cairn.start(approved);
    await run.signal("approval", "a");
    await run.signal("approval", "b");
    expect(await run.result()).toEqual(["a", "b"]);
  });

  it("waits for its children", async () => {
    const cairn = await (await testBed()).open();
    expect(await (await cairn.start(family, 20)).result()).toBe(1330);
  });

  it("may call a child that takes nothing for each item of a list", async () => {
    const cairn = await (await testBed()).open();
    expect(await (await cairn.start(throws, 3)).result()).toBe(9);
  });

  it("compensates newest first when it fails, and its error stays the original", async () => {
    const cairn = await (await testBed()).open();
    const run = await cairn.start(undone, "u1");
    await expect(run.result()).rejects.toThrow(new TypeError("u1 failed"));
    expect(done.filter((text) => text.startsWith("u1"))).toEqual(["u1: did", "u1: second", "u1: first"]);
  });

  it("is told of options that cannot be right where it uses them, and can catch that; nobody else notices", async () => {
    const bed = await testBed();
    const warnings: string[] = [];
    const cairn = await bed.open({ runloops: 1, onWarning: (message) => void warnings.push(message) });
    await cairn.register(echo);
    const ask = async (how: string, options: unknown): Promise<unknown> =>
      (await cairn.start(optioned, { how, options })).result();
    expect(await ask("child", { timeout: "5 parsecs" })).toMatch(/^RangeError: The option timeout of the call of/);
    expect(await ask("child", { timeout: null })).toMatch(/^RangeError: The option timeout/);
    expect(await ask("child", { tags: 5 })).toMatch(
      /^TypeError: The call of "test.echo.v1" by with\(\) has no option tags/,
    );
    expect(await ask("start", { tags: 5 })).toMatch(/^RangeError: The option tags/);
    expect(await ask("start", { nope: 1 })).toMatch(/^TypeError: .* has no option nope/);
    expect(await ask("action", { retry: 5 })).toMatch(/^TypeError: The option retry/);
    expect(await ask("action", { timeout: "soon" })).toMatch(/^RangeError: The option timeout/);
    for (const how of ["child", "start", "action"]) expect(await ask(how, { timeout: "1 h" })).toBe("done");
    expect(warnings).toEqual([]);
    expect(await bed.query("SELECT FROM cairn.failed_attempts WHERE attempt > 1")).toEqual([]);
  });

  it("says where in the source it failed: the error's stack in every process, and a column of the run", async () => {
    const bed = await testBed();
    const [cairn, other] = [await bed.open(), await bed.open()];
    const run = await cairn.start(undone, "u2");
    const place = /^TypeError: u2 failed\n {4}at \S+ \(.*test\/workflows\/basics\.ts:(\d+):(\d+)\)$/;
    const source = readFileSync(new URL("../workflows/basics.ts", import.meta.url), "utf8").split("\n");
    for (const handle of [run, other.run(run.id)]) {
      const { stack } = (await handle.result().catch((error: unknown) => error)) as Error;
      const [, line, column] = place.exec(stack ?? "") ?? [];
      expect(source[Number(line) - 1]?.slice(Number(column) - 1)).toBe("new TypeError(`${key} failed`);");
    }
    const [row] = await bed.query("SELECT trace FROM cairn.workflow_run");
    expect(row!["trace"]).toMatchObject([{ line: expect.any(Number) as number }]);
  });

  it("tries an action again after a backoff, and lets the body catch its error when tries are exhausted", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const recovers = await cairn.start(retrying, { key: "k1", failures: 2 });
    const fails = await cairn.start(retrying, { key: "k2", failures: 9 });
    const attempted = (count: number): Promise<unknown> =>
      until(async () => (await bed.query("SELECT FROM cairn.step_attempts")).length === count);
    await attempted(2);
    await bed.advance(1_500);
    await attempted(4);
    await bed.advance(3_000);
    expect(await recovers.result()).toBe(3);
    expect(await fails.result()).toBe("caught try 3 of k2");
    const attempts = await bed.query(
      "SELECT attempt, outcome FROM cairn.step_attempts WHERE run_id = $1 ORDER BY attempt",
      recovers.id,
    );
    expect(attempts).toEqual([
      { attempt: 1, outcome: "failed" },
      { attempt: 2, outcome: "failed" },
      { attempt: 3, outcome: "succeeded" },
    ]);
  });
});
