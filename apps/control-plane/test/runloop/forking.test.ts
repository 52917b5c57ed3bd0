import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import type { Cairn, RunHandle } from "../../src/index.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import {
  acts,
  both,
  broken,
  careful,
  chance,
  holding,
  listener,
  telling,
  three,
  family,
  tagged,
  twice,
  words,
} from "../workflows/turning.ts";

async function opened(): Promise<{ readonly bed: TestBed; readonly cairn: Cairn }> {
  const bed = await testBed();
  return { bed, cairn: await bed.open() };
}

const actsOf = (key: string): string[] => acts.filter((text) => text.startsWith(key));

async function ended(cairn: Cairn, key: string): Promise<RunHandle<string[]>> {
  const run = await cairn.start(three, key);
  await run.result();
  return run;
}

describe("a fork", () => {
  it("goes on from the state of another run, which stays as it is", async () => {
    const { bed, cairn } = await opened();
    const run = await ended(cairn, "f1");
    const before = await bed.query("SELECT * FROM cairn.history ORDER BY number");
    const fork = await run.fork(2, { effects: "allowed" });
    expect(fork.id).not.toBe(run.id);
    expect(await fork.result()).toEqual(["f1 a", "f1 b", "f1 c"]);
    // b was answered in the original, and c is made anew.
    expect(actsOf("f1")).toEqual(["f1 a", "f1 b", "f1 c", "f1 c"]);
    expect(await bed.query("SELECT * FROM cairn.history WHERE run_id = $1 ORDER BY number", run.id)).toEqual(before);
    expect((await fork.history()).map(({ number, kind }) => [number, kind])).toEqual([
      [3, "fork"],
      [4, "result"],
      [5, "result"],
    ]);
    expect(await bed.query("SELECT forked_from, forked_number FROM cairn.runs WHERE id = $1", fork.id)).toEqual([
      { forked_from: run.id, forked_number: 2 },
    ]);
    const told = await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'forked'");
    expect(told).toEqual([{ data: { fork: fork.id, number: 2 } }]);
  });

  it("may by default have no effects: what the original has no answer for fails with EffectForbidden", async () => {
    const { cairn } = await opened();
    const run = await ended(cairn, "f2");
    const fork = await run.fork(2);
    await expect(fork.result()).rejects.toMatchObject({
      name: "EffectForbidden",
      message: expect.stringContaining("turning.act"),
    });
    expect(actsOf("f2")).toEqual(["f2 a", "f2 b", "f2 c"]);
  });

  it("without effects starts no children and emits nothing; what is allowed by name is done", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(telling, "f3");
    await until(async () => actsOf("f3").length === 3);
    const none = await run.fork(1);
    expect(await none.result()).toEqual([expect.stringContaining("EffectForbidden"), "EffectForbidden"]);
    expect(await bed.query("SELECT run_id FROM cairn.outbox_events")).toEqual([{ run_id: run.id }]);
    expect(await bed.query("SELECT * FROM cairn.run_events WHERE kind = 'forbidden'")).toHaveLength(1);
    const some = await run.fork(1, { effects: { allow: ["turning.act", "turning.told.v1"] } });
    expect(await some.result()).toEqual(["f3 2", "EffectForbidden"]);
    expect(await bed.query("SELECT * FROM cairn.outbox_events")).toHaveLength(2);
  });

  it("hands its effects policy on to its children", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(telling, "f4");
    await until(async () => actsOf("f4").length === 3);
    const fork = await run.fork(1, { effects: { allow: ["turning.child.v1"] } });
    expect(await fork.result()).toEqual([expect.stringContaining("EffectForbidden"), "EffectForbidden"]);
    const children = await bed.query("SELECT effects FROM cairn.runs WHERE parent = $1", fork.id);
    expect(children).toEqual([{ effects: { allow: ["turning.child.v1"] } }]);
  });

  it("makes calls that are open in the original, and have no answer there, if it may", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(both, "f5");
    const original = await until(async () => holding.get("f5 late") && holding.get("f5 early"));
    const refused = await run.fork(1);
    await expect(refused.result()).rejects.toMatchObject({ name: "EffectForbidden" });
    expect(actsOf("f5")).toHaveLength(3);
    const fork = await run.fork(2, { effects: "allowed" });
    const own = await until(async () => holding.get("f5 early") !== original && holding.get("f5 early"));
    await until(async () => actsOf("f5").length === 5);
    own.release("early of the fork");
    holding.get("f5 late")!.release("late of the fork");
    expect(await fork.result()).toEqual(["early of the fork", "late of the fork"]);
    expect(await run.status()).toMatchObject({ status: "leased" });
    await run.cancel();
  });

  it("leaves what was to be undone to the original, unless it is asked to do it", async () => {
    const { cairn } = await opened();
    broken.add("f6 3");
    const run = await cairn.start(careful, "f6");
    await until(async () => (await run.status()).phase === "waiting");
    const { length } = await run.history();
    for (const compensations of [false, true]) {
      const fork = await run.fork(length, { effects: "allowed", compensations });
      await fork.signal("word", "go");
      await expect(fork.result()).rejects.toThrow("f6 3 is broken");
    }
    broken.delete("f6 3");
    expect(actsOf("f6").slice(2)).toEqual(["f6 3", "f6 3", "f6 undo 3", "f6 undo 2", "f6 undo 1"]);
    await run.cancel();
  });

  it("draws other random numbers than the original, unless chance is kept", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(chance);
    await run.signal("word", "1");
    await run.signal("word", "2");
    const drawn = await run.result();
    const results: string[] = [];
    for (const keepChance of [true, false]) {
      const fork = await run.fork(1, { keepChance });
      await fork.signal("word", "1");
      await fork.signal("word", "2");
      results.push(await fork.result());
    }
    expect(results[0]).toBe(drawn);
    expect(results[1]).not.toBe(drawn);
  });

  it("can be made of a superseded state, and of a fork; states before it are the original's", async () => {
    const { cairn } = await opened();
    const run = await ended(cairn, "f7");
    await run.rollback(1);
    await run.result();
    const fork = await run.fork(3, { effects: "allowed" });
    expect(await fork.result()).toEqual(["f7 a", "f7 b", "f7 c"]);
    expect((await fork.stateAt(2)).frames).toEqual((await run.stateAt(2)).frames);
    const second = await fork.fork(2, { effects: "allowed" });
    expect(await second.result()).toEqual(["f7 a", "f7 b", "f7 c"]);
    await expect(fork.rollback(2)).rejects.toMatchObject({ code: "Superseded" });
    await fork.rollback(4);
    expect(await fork.result()).toEqual(["f7 a", "f7 b", "f7 c"]);
    expect((await fork.steps()).map(({ name }) => name)).toEqual(["turning.act"]);
  });

  it("asked for again with the same id is the same; with another state it is refused", async () => {
    const { bed, cairn } = await opened();
    const run = await ended(cairn, "f8");
    const id = newRunId(Date.now());
    const [one, other] = await Promise.all([run.fork(2, { id, tags: ["again"] }), run.fork(2, { id })]);
    expect([one.id, other.id]).toEqual([id, id]);
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(2);
    await expect(run.fork(1, { id })).rejects.toMatchObject({ code: "IdConflict" });
    await expect(run.fork(1, { id: run.id })).rejects.toMatchObject({ code: "IdConflict" });
  });

  it("of what cannot be is refused, with a code and nothing written", async () => {
    const { bed, cairn } = await opened();
    const run = await ended(cairn, "f9");
    await expect(run.fork(4)).rejects.toMatchObject({ code: "WrongStatus" });
    await expect(run.fork(7)).rejects.toMatchObject({ code: "NotFound" });
    await expect(run.fork(2, { effects: "some" as never })).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(run.fork(2, { effects: { allow: [1] } as never })).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(run.fork(2, { deadline: new Date(0) })).rejects.toMatchObject({ code: "DeadlinePassed" });
    await expect(run.fork(2, { id: "x" })).rejects.toMatchObject({ code: "InvalidId" });
    await expect(cairn.run(newRunId(Date.now())).fork(1)).rejects.toMatchObject({ code: "NotFound" });
    await run.delete();
    await expect(run.fork(2)).rejects.toMatchObject({ code: "RunDeleted" });
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(1);
  });

  it("takes no signal of its original", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(listener, { key: "f10", count: 2 });
    await run.signal("word", "one");
    await run.signal("word", "two");
    expect(await run.result()).toEqual(["one", "two"]);
    const fork = await run.fork(1, { effects: "allowed" });
    await fork.signal("word", "other");
    await fork.signal("word", "words");
    expect(await fork.result()).toEqual(["other", "words"]);
  });

  it("of a run that looked at its tags has its own from then on, its own id, and keys of its own", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(tagged, "f11", { tags: ["x"] });
    await until(async () => (await run.status()).phase === "waiting");
    const fork = await run.fork(2, { tags: ["y"], effects: "allowed" });
    await fork.signal("word", "go");
    const [x, isSame, key] = await fork.result();
    expect([x, isSame]).toEqual(["x", false]);
    expect(key).toContain(fork.id);
    await run.cancel();
  });

  it("of a run that an operator has retried has as many attempts as the run was started with", async () => {
    const { cairn } = await opened();
    broken.add("f12 b");
    const run = await cairn.start(three, "f12");
    await expect(run.result()).rejects.toThrow("broken");
    for (let again = 0; again < 2; again++) {
      await run.retry();
      await expect(run.result()).rejects.toThrow("broken");
    }
    const fork = await run.fork(2, { effects: "allowed" });
    await expect(fork.result()).rejects.toThrow("broken");
    expect(await fork.status()).toMatchObject({ status: "failed", maxAttempts: 1 });
    broken.delete("f12 b");
  });

  it("of a state in which the original undoes is refused unless it is to undo too, and of one that undoes to go back always", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(twice, "f13");
    await until(async () => (await run.status()).phase === "waiting");
    await run.rollback(1, { compensate: true });
    const undoing = await until(async () => holding.get("f13 undo 2"));
    const last = (await run.history()).at(-1)!;
    expect(last.kind).toBe("undo");
    await expect(run.fork(last.number, { compensations: true })).rejects.toMatchObject({ code: "WrongStatus" });
    await run.cancel();
    undoing.release("undone");
    (await until(async () => holding.get("f13 undo 1"))).release("undone");
    await expect(run.result()).rejects.toThrow("cancelled");
    const compensating = await cairn.start(twice, "f14");
    await until(async () => (await compensating.status()).phase === "waiting");
    await compensating.cancel();
    await until(async () => holding.get("f14 undo 2"));
    const { number } = (await compensating.history()).at(-1)!;
    await expect(compensating.fork(number, { effects: "allowed" })).rejects.toMatchObject({ code: "WrongStatus" });
    for (const key of ["f14 undo 2", "f14 undo 1"]) (await until(async () => holding.get(key))).release("undone");
    await expect(compensating.result()).rejects.toThrow("cancelled");
    expect(actsOf("f14").filter((text) => text.includes("undo"))).toHaveLength(2);
  });

  it("gives children that were open the results they had in the original", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(family, "f15");
    await run.result();
    const fork = await run.fork(1, { effects: { allow: ["turning.act"] } });
    expect(await fork.result()).toBe("f15 child");
    expect(actsOf("f15")).toEqual(["f15 child", "f15 after", "f15 after"]);
    expect(await bed.query("SELECT FROM cairn.runs WHERE parent = $1", fork.id)).toEqual([]);
  });

  it("has the priority and the deadline that it is given", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(words, 1);
    await until(async () => (await run.history()).length === 1);
    const fork = await run.fork(1, { priority: 7, deadline: new Date(Date.now() + 20_000) });
    await until(async () => (await fork.status()).phase === "waiting");
    expect(await bed.query("SELECT priority FROM cairn.runs WHERE id = $1", fork.id)).toEqual([{ priority: 7 }]);
    await bed.advance(21_000);
    await expect(fork.result()).rejects.toMatchObject({ name: "DeadlineExceeded" });
    await run.cancel();
  });
});
