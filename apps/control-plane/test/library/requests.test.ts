import { describe, expect, it } from "vitest";
import type { RunsFilter } from "../../src/index.ts";
import { newRunId } from "../../src/ids.ts";
import { testBed, until } from "../support/test-engine.ts";
import { lockWith, untilBlocked } from "../support/test-runloop.ts";
import { approved, sums } from "../workflows/basics.ts";

describe("what is wrong with a request is an EngineError that says so", () => {
  it("of stateAt()", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(sums, { n: 1 });
    await run.result();
    for (const wrong of [1.5, Number.NaN, 2 ** 40, -1, "1" as unknown as number]) {
      const asked = run.stateAt(wrong);
      await expect(asked, String(wrong)).rejects.toMatchObject({ name: "EngineError", code: "InvalidOption" });
      await expect(asked).rejects.toThrow("The number of inputs is a whole number from 0 to 2147483647, not");
    }
    await expect(run.stateAt(3)).rejects.toThrow(`The run ${run.id} has taken 2 inputs, not 3`);
  });

  it("of runs()", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const refused: readonly (readonly [filter: unknown, message: string])[] = [
      [{ limit: -1 }, "limit is a whole number from 1 to 10000, not -1"],
      [{ limit: 1.5 }, "limit is a whole number from 1 to 10000, not 1.5"],
      [{ type: "a\0" }, "type has a character that cannot be stored"],
      [{ type: 5 }, "type is a text of 1 to 500 characters"],
      [{ status: "bogus" }, 'There is no status "bogus": there are pending, leased, succeeded, failed, cancelled'],
      [{ status: ["failed", null] }, "There is no status null"],
      [{ kind: "x" }, 'runs() has no option "kind". There are type, status, limit'],
      [null, "The options are an object"],
    ];
    for (const [filter, message] of refused) {
      const asked = cairn.runs(filter as RunsFilter);
      await expect(asked, message).rejects.toMatchObject({ name: "EngineError", code: "InvalidOption" });
      await expect(asked).rejects.toThrow(message);
    }
    expect(await cairn.runs({ status: ["pending", "failed"], limit: 10_000 })).toEqual([]);
  });

  it("of promote() and of a start without an object of options", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await expect(cairn.promote("a\0", "1")).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(cairn.promote("a", "\0")).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(cairn.promote("a", "1")).rejects.toMatchObject({ code: "UnknownType" });
    for (const options of [null, "x", []]) {
      const started = cairn.start(sums, { n: 1 }, options as unknown as object);
      await expect(started).rejects.toMatchObject({ code: "InvalidOption", message: "The options are an object" });
    }
  });

  it("of mail to a run that was deleted, or has ended", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const [deleted, ended] = [await cairn.start(approved), await cairn.start(sums, { n: 1 })];
    await until(async () => (await deleted.status()).phase === "waiting");
    await deleted.delete();
    await expect(deleted.signal("approval", "a")).rejects.toMatchObject({ code: "RunDeleted" });
    await expect(deleted.pause()).rejects.toThrow(`The run ${deleted.id} was deleted`);
    await ended.result();
    await expect(ended.signal("approval", "a")).rejects.toThrow(`The run ${ended.id} has ended: it is succeeded`);
  });
});

describe("ids", () => {
  it("may be written in upper case", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const id = newRunId(Date.now());
    const run = await cairn.start(sums, { n: 2 }, { id: id.toUpperCase() });
    expect(run.id).toBe(id);
    expect(await cairn.run(id.toUpperCase()).result()).toBe(3);
    expect((await cairn.start(sums, { n: 2 }, { id })).id).toBe(id);
  });
});

describe("a start whose id another transaction is starting", () => {
  it("finds that run when the transaction commits while it waits", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await cairn.register(sums);
    const id = newRunId(Date.now());
    const release = await lockWith(
      bed,
      `SELECT cairn.start_run('test.sums.v1', '{"n":3}', '{"id":"${id}"}')`,
      "COMMIT",
    );
    const started = cairn.start(sums, { n: 3 }, { id });
    await untilBlocked(bed);
    await release();
    expect((await started).id).toBe(id);
    expect(await (await started).result()).toBe(6);
    await expect(cairn.start(sums, { n: 4 }, { id })).rejects.toMatchObject({ code: "IdConflict" });
  });
});

describe("a Cairn that was closed", () => {
  it("says so to whoever waits for a result, and to whoever asks", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(approved);
    const result = run.result().catch((error: unknown) => error);
    await cairn.close();
    const closed = { name: "EngineError", code: "Closed", message: "This Cairn was closed" };
    expect(await result).toMatchObject(closed);
    for (const ask of [
      () => run.result(),
      () => run.status(),
      () => run.signal("approval", "a"),
      () => run.steps(),
      () => cairn.start(approved),
      () => cairn.start("test.sums.v1", { n: 1 }),
      () => cairn.runs(),
    ]) {
      await expect(ask(), String(ask)).rejects.toMatchObject(closed);
    }
  });

  it("has answered whoever waited for a run that ended meanwhile, and keeps no start waiting", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    await cairn.register(sums);
    const starts = Promise.allSettled(Array.from({ length: 20 }, () => cairn.start(sums, { n: 1 })));
    const closing = cairn.close();
    for (const start of await starts) {
      if (start.status === "rejected") expect(start.reason).toMatchObject({ code: "Closed" });
    }
    await closing;
  });
});
