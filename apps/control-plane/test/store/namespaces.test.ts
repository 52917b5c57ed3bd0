import { describe, expect, it } from "vitest";
import type { Cairn, RunHandle } from "../../src/index.ts";
import { newRunId } from "../../src/ids.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";
import { approved, echo, family, sums } from "../workflows/basics.ts";

const METHODS: readonly (readonly [name: string, call: (run: RunHandle) => Promise<unknown>])[] = [
  ["result", (run) => run.result()],
  ["status", (run) => run.status()],
  ["signal", (run) => run.signal("approval", "x")],
  ["cancel", (run) => run.cancel("from elsewhere")],
  ["pause", (run) => run.pause()],
  ["resume", (run) => run.resume()],
  ["delete", (run) => run.delete("from elsewhere")],
  ["steps", (run) => run.steps()],
  ["stateAt", (run) => run.stateAt(1)],
  ["history", (run) => run.history()],
  ["retry", (run) => run.retry()],
  ["rollback", (run) => run.rollback(1)],
  ["fork", (run) => run.fork(1)],
];

async function twoTenants(): Promise<{ bed: StoreBed; mine: Cairn; theirs: Cairn }> {
  const bed = await storeBed();
  return { bed, mine: await bed.open({ namespace: "mine" }), theirs: await bed.open({ namespace: "theirs" }) };
}

describe("through the handle of a run of another namespace", () => {
  it("each method finds no such run, live or ended, and does nothing to it", async () => {
    const { bed, mine, theirs } = await twoTenants();
    const live = await theirs.start(approved);
    const ended = await theirs.start(sums, { n: 3 });
    await ended.result();
    const before = await bed.query("SELECT id, status, deleted_at FROM cairn.runs ORDER BY id");
    for (const [name, call] of METHODS) {
      for (const { id } of [live, ended]) {
        const refused = { code: "NotFound", message: `There is no run ${id}` };
        await expect(call(mine.run(id)), name).rejects.toMatchObject(refused);
      }
      expect(await bed.query("SELECT id, status, deleted_at FROM cairn.runs ORDER BY id"), name).toEqual(before);
      expect(await bed.query("SELECT FROM cairn.mailbox"), name).toEqual([]);
    }
    for (const value of ["a", "b"]) await live.signal("approval", value);
    expect(await live.result()).toEqual(["a", "b"]);
  });

  it("each method of a run that there is not, or whose id is none, finds no such run", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    for (const [name, call] of METHODS) {
      for (const id of [newRunId(Date.now()), "no id", "", "x\0", "00000000-0000-0000-0000-000000000000"]) {
        const refused = { code: "NotFound", message: `There is no run ${id}` };
        await expect(call(cairn.run(id)), name).rejects.toMatchObject(refused);
      }
    }
  });
});

describe("namespaces", () => {
  it("have versions, idempotency keys and children of their own", async () => {
    const { bed, mine, theirs } = await twoTenants();
    const [one, two] = await Promise.all(
      [mine, theirs].map((each) => each.start(sums, { n: 4 }, { idempotencyKey: "k" })),
    );
    expect(one!.id).not.toBe(two!.id);
    await expect(theirs.start(sums, { n: 5 }, { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "IdempotencyConflict",
    });
    expect(await (await mine.start(family, 3)).result()).toBe(4);
    const children = await bed.query("SELECT DISTINCT namespace FROM cairn.runs WHERE parent IS NOT NULL");
    expect(children).toEqual([{ namespace: "mine" }]);
    await bed.query("DELETE FROM cairn.workflow_versions WHERE namespace = 'theirs' AND name = 'test.echo.v1'");
    await expect(theirs.start("test.echo.v1", "x", { version: "none" })).rejects.toMatchObject({ code: "UnknownType" });
    expect(await (await mine.start(echo, "x")).result()).toBe("x");
  });

  it("have their runs executed by processes of their own", async () => {
    const bed = await storeBed();
    const theirs = await bed.open({ namespace: "theirs" });
    await theirs.close();
    const [run] = await bed.query<{ id: string }>(
      `SELECT cairn.start_run('test.echo.v1', '"secret"', '{"namespace":"theirs"}') AS id`,
    );
    const mine = await bed.open({ namespace: "their" });
    for (const text of ["a", "b", "c"]) expect(await (await mine.start(echo, text)).result()).toBe(text);
    expect(await bed.query("SELECT state, started_at FROM cairn.queue WHERE run_id = $1", run!.id)).toEqual([
      { state: "ready", started_at: null },
    ]);
    const again = await bed.open({ namespace: "theirs" });
    expect(await again.run(run!.id).result()).toBe("secret");
  });

  it.each(["", "a:b", "a b", "a\0b", "x".repeat(101), "é", 5])(
    "have names that can be told apart: not %j",
    async (namespace) => {
      const bed = await storeBed();
      await expect(bed.open({ namespace: namespace as string })).rejects.toMatchObject({ code: "InvalidOption" });
    },
  );
});

describe("what people send to a run", () => {
  it("is refused if no database could hold it", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const run = await cairn.start(approved);
    for (const name of ["", "a\0b", "a\ud800b", "x".repeat(501)]) {
      await expect(run.signal(name, 1)).rejects.toMatchObject({ code: "InvalidOption" });
    }
    for (const reason of ["a\0b", "a\ud800b"]) {
      await expect(run.cancel(reason)).rejects.toMatchObject({ code: "InvalidOption" });
      await expect(run.delete(reason)).rejects.toMatchObject({ code: "InvalidOption" });
    }
    for (const value of ["a\0", "\ud800"]) await run.signal("approval", value);
    expect(await run.result()).toEqual(["a\0", "\ud800"]);
  });

  it("after its end is told so, and changes nothing", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const run = await cairn.start(sums, { n: 2 });
    await run.result();
    for (const late of [() => run.signal("x", 1), () => run.pause(), () => run.resume(), () => run.cancel("late")]) {
      await expect(late()).rejects.toMatchObject({
        code: "RunEnded",
        message: `The run ${run.id} has ended: it is succeeded`,
      });
    }
    expect(await run.status()).toMatchObject({ status: "succeeded" });
  });
});
