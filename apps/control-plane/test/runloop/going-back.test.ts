import { describe, expect, it } from "vitest";
import type { Cairn, RunHandle, RunStep } from "../../src/index.ts";
import { Lineage } from "../../src/runloop/lineage.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import {
  act,
  acts,
  both,
  broken,
  careful,
  chance,
  child,
  holding,
  listener,
  parent,
  slowly,
  three,
} from "../workflows/turning.ts";

async function opened(): Promise<{ readonly bed: TestBed; readonly cairn: Cairn }> {
  const bed = await testBed();
  return { bed, cairn: await bed.open() };
}

const actsOf = (key: string): string[] => acts.filter((text) => text.startsWith(key));

function waits(run: RunHandle, count: number): Promise<true> {
  return until(async () => {
    const { phase } = await run.status();
    return phase === "waiting" && (await run.history()).filter(({ superseded }) => !superseded).length >= count;
  }) as Promise<true>;
}

async function stepOf(run: RunHandle, named: (step: RunStep) => boolean): Promise<RunStep> {
  return (await run.steps()).findLast(named)!;
}

/** A run that has failed at its second step. */
async function failed(cairn: Cairn, key: string): Promise<RunHandle> {
  broken.add(`${key} b`);
  const run = await cairn.start(three, key);
  await expect(run.result()).rejects.toThrow(`${key} b is broken`);
  broken.delete(`${key} b`);
  return run;
}

describe("retry, an operator's transition", () => {
  it("of a failed run begins again with the same input, as another attempt, and is recorded as such", async () => {
    const { bed, cairn } = await opened();
    const run = await failed(cairn, "r1");
    await run.retry();
    expect(await run.result()).toEqual(["r1 a", "r1 b", "r1 c"]);
    expect(actsOf("r1")).toEqual(["r1 a", "r1 b", "r1 a", "r1 b", "r1 c"]);
    expect(await run.status()).toMatchObject({ status: "succeeded", attempt: 2, lastError: null });
    expect(await bed.query("SELECT kind FROM cairn.history WHERE kind IN ('start') ORDER BY number")).toHaveLength(2);
    const events = await bed.query<{ kind: string; data: unknown }>(
      "SELECT kind, data FROM cairn.run_events ORDER BY id",
    );
    expect(events).toContainEqual({ kind: "retried", data: { attempt: 2, by: "operator" } });
  });

  it("of a run that the engine gave up first undoes what is left to be undone", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(careful, "r2");
    await waits(run, 3);
    await bed.query("UPDATE cairn.queue SET state = 'ready', crashes = 7");
    await bed.advance(1);
    await expect(run.result()).rejects.toMatchObject({ name: "CrashLimit" });
    expect(actsOf("r2")).toEqual(["r2 1", "r2 2"]);
    await run.retry();
    await waits(run, 8);
    expect(actsOf("r2")).toEqual(["r2 1", "r2 2", "r2 undo 3", "r2 undo 2", "r2 undo 1", "r2 1", "r2 2"]);
    await run.signal("word", "go");
    expect(await run.result()).toBe("r2");
    expect(await run.status()).toMatchObject({ attempt: 2 });
  });

  it("is refused of one that has not failed, and of one that was deleted; by SQL it says false", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(three, "r3");
    await run.result();
    await expect(run.retry()).rejects.toMatchObject({
      code: "WrongStatus",
      message: expect.stringContaining("succeeded"),
    });
    expect(await bed.query("SELECT cairn.retry_run($1) AS done", run.id)).toEqual([{ done: false }]);
    const gone = await failed(cairn, "r4");
    await gone.delete();
    await expect(gone.retry()).rejects.toMatchObject({ code: "RunDeleted" });
  });

  it("asked for by two at once happens once", async () => {
    const { cairn } = await opened();
    const run = await failed(cairn, "r5");
    const asked = await Promise.allSettled([run.retry(), run.retry(), run.retry()]);
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await run.result();
    expect(actsOf("r5")).toHaveLength(5);
  });

  it("forgets a deadline that has passed", async () => {
    const { bed, cairn } = await opened();
    const deadline = new Date(Date.now() + 60_000);
    const run = await cairn.start(listener, { key: "r6", count: 1 }, { deadline });
    await waits(run, 1);
    await bed.advance(61_000);
    await expect(run.result()).rejects.toMatchObject({ name: "DeadlineExceeded" });
    await run.retry();
    await run.signal("word", "late");
    expect(await run.result()).toEqual(["late"]);
  });
});

describe("rollback", () => {
  it("of a failed run to its failed step does that again, and nothing before it", async () => {
    const { cairn } = await opened();
    const run = await failed(cairn, "b1");
    const step = await stepOf(run, ({ status }) => status === "failed");
    await run.rollback(step.number);
    expect(await run.result()).toEqual(["b1 a", "b1 b", "b1 c"]);
    expect(actsOf("b1")).toEqual(["b1 a", "b1 b", "b1 b", "b1 c"]);
    const again = await stepOf(run, ({ call }) => call === step.call);
    expect(again).toMatchObject({ status: "succeeded", superseded: false });
    expect(again.attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, "failed"],
      [2, "succeeded"],
    ]);
  });

  it("is an input of the history with a snapshot; what came after is superseded, and numbers never go back", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(three, "b2");
    await run.result();
    await run.rollback(2);
    expect(await run.result()).toEqual(["b2 a", "b2 b", "b2 c"]);
    const history = await run.history();
    expect(history.map(({ number, kind, superseded }) => [number, kind, superseded])).toEqual([
      [1, "start", false],
      [2, "result", false],
      [3, "result", true],
      [4, "result", true],
      [5, "rollback", false],
      [6, "result", false],
      [7, "result", false],
    ]);
    expect(await bed.query("SELECT number, base FROM cairn.snapshots ORDER BY number")).toContainEqual({
      number: 5,
      base: 5,
    });
    expect((await run.steps()).map(({ args, superseded }) => [args, superseded])).toEqual([
      [["b2 a"], false],
      [["b2 b"], false],
      [["b2 c"], true],
      [["b2 c"], false],
    ]);
    const events = await bed.query<{ data: unknown }>("SELECT data FROM cairn.run_events WHERE kind = 'rolled back'");
    expect(events).toEqual([{ data: { to: 2, from: 4 } }]);
  });

  it("queues signals that were taken since again, in their order, before those that wait", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(listener, { key: "b3", count: 5 });
    for (const word of ["one", "two", "three"]) await run.signal("word", word);
    await waits(run, 7);
    await run.pause();
    await until(async () => (await run.status()).phase === "paused");
    await run.signal("word", "four");
    await run.rollback(3);
    await run.resume();
    await run.signal("word", "five");
    expect(await run.result()).toEqual(["one", "two", "three", "four", "five"]);
    const words = actsOf("b3").map((text) => text.slice(3));
    expect(words.slice(0, 3)).toEqual(["one", "two", "three"]);
    expect(words.slice(-4)).toEqual(["two", "three", "four", "five"]);
    expect(await bed.query("SELECT * FROM cairn.mailbox")).toEqual([]);
  });

  it("takes another course of chance, unless it is to be kept", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(chance);
    await run.signal("word", "1");
    await run.signal("word", "2");
    const drawn = await run.result();
    await run.rollback(1, { keepChance: true });
    expect(await run.result()).toBe(drawn);
    await run.rollback(1);
    expect(await run.result()).not.toBe(drawn);
  });

  it("leaves a call alone that was open then and still is, and gives up what was opened since", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(both, "b4");
    const late = await until(async () => holding.get("b4 late"));
    await run.rollback(1);
    await until(async () => late.signal.aborted);
    await until(async () => holding.get("b4 late") !== late);
    holding.get("b4 early")!.release("early");
    holding.get("b4 late")!.release("late");
    expect(await run.result()).toEqual(["early", "late"]);
    expect(actsOf("b4")).toEqual(["b4 early", "b4 first", "b4 late", "b4 first", "b4 late"]);
  });

  it("cancels children that were started since, and starts those again that have ended since", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(parent, "b5");
    const kids = await until(async () => {
      const rows = await bed.query<{ id: string; payload: string }>(
        "SELECT r.id, r.payload #>> '{}' AS payload FROM cairn.runs AS r JOIN cairn.queue AS q ON q.run_id = r.id WHERE r.parent = $1 AND q.phase = 'waiting' ORDER BY r.id",
        run.id,
      );
      return rows.length === 2 && rows;
    });
    const [early, late] = ["early", "late"].map((name) =>
      cairn.run(kids.find(({ payload }) => payload.endsWith(name))!.id),
    );
    await early!.signal("word", "go");
    await early!.result();
    await until(async () => (await run.history()).length === 3);
    await run.rollback(1);
    await expect(late!.result()).rejects.toThrow("rolled back");
    const fresh = await until(async () => {
      const rows = await bed.query<{ id: string }>(
        "SELECT r.id FROM cairn.runs AS r JOIN cairn.queue AS q ON q.run_id = r.id WHERE r.parent = $1 AND q.phase = 'waiting'",
        run.id,
      );
      return rows.length === 2 && rows;
    });
    expect(fresh.map(({ id }) => id)).not.toContain(early!.id);
    for (const { id } of fresh) await cairn.run(id).signal("word", "go");
    expect(await run.result()).toEqual(["b5 early done", "b5 late done"]);
  });

  it("undoes first what was to be undone since, newest first, if it is asked to", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(careful, "b6");
    await waits(run, 3);
    const second = await stepOf(run, ({ result }) => result === "b6 2");
    await run.rollback(second.number, { compensate: true });
    await until(async () => (await run.history()).some(({ kind }) => kind === "rollback"));
    await run.signal("word", "go");
    expect(await run.result()).toBe("b6");
    expect(actsOf("b6")).toEqual(["b6 1", "b6 2", "b6 undo 3", "b6 2", "b6 3"]);
  });

  it("undoes on when its owner is lost in between, and then goes back", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(slowly, "b13");
    await waits(run, 2);
    await run.rollback(1, { compensate: true });
    const undoing = await until(async () => holding.get("b13 undo 2"));
    await bed.advance(31_000);
    await until(async () => (await run.status()).phase === "compensating");
    undoing.release("undone");
    await until(async () => (await run.history()).some(({ kind }) => kind === "rollback"));
    await run.signal("word", "go");
    expect(await run.result()).toBe("b13");
    expect(actsOf("b13")).toEqual(["b13 1", "b13 undo 2", "b13 1"]);
  });

  it("gives way to who cancels the run: then everything is undone", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(slowly, "b14");
    await waits(run, 2);
    await run.rollback(1, { compensate: true });
    const undoing = await until(async () => holding.get("b14 undo 2"));
    await run.cancel("enough");
    await until(async () => (await run.status()).phase === "cancelling");
    undoing.release("undone");
    (await until(async () => holding.get("b14 undo 1"))).release("undone");
    await expect(run.result()).rejects.toMatchObject({ name: "RunCancelled", message: "enough" });
  });

  it("to a state is refused when what it takes for done was undone, unless that is wanted", async () => {
    const { cairn } = await opened();
    broken.add("b7 3");
    const run = await cairn.start(careful, "b7");
    await run.signal("word", "go");
    await expect(run.result()).rejects.toThrow("b7 3 is broken");
    broken.delete("b7 3");
    await expect(run.rollback(4)).rejects.toMatchObject({ code: "CompensationsRan" });
    await run.rollback(4, { despiteCompensations: true });
    expect(await run.result()).toBe("b7");
    expect(actsOf("b7").slice(-4)).toEqual(["b7 undo 3", "b7 undo 2", "b7 undo 1", "b7 3"]);
  });

  it("to where it cannot be is refused, with a code and nothing written", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(three, "b8");
    await run.result();
    const before = await bed.query("SELECT * FROM cairn.run_events");
    await expect(run.rollback(0)).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(run.rollback(1.5)).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(run.rollback(1, { compensat: true } as never)).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(run.rollback(1, { compensate: 1 } as never)).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(run.rollback(9)).rejects.toMatchObject({ code: "NotFound" });
    await expect(run.rollback(4)).rejects.toMatchObject({ code: "WrongStatus" });
    expect(await bed.query("SELECT * FROM cairn.run_events")).toEqual(before);
    await run.rollback(1);
    await run.result();
    await expect(run.rollback(3)).rejects.toMatchObject({ code: "Superseded" });
    await run.delete();
    await expect(run.rollback(1)).rejects.toMatchObject({ code: "RunDeleted" });
    expect(actsOf("b8")).toHaveLength(6);
  });

  it("of a run that ends before it hears of it takes it back from its end", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(three, "b9");
    await run.result();
    const order = JSON.stringify({
      to: 3,
      compensate: false,
      keepChance: false,
      despiteCompensations: false,
      checkedAt: 4,
    });
    await bed.query(
      "INSERT INTO cairn.mailbox (run_id, kind, value, sent_at) VALUES ($1, 'rollback', $2, cairn.now())",
      run.id,
      order,
    );
    await until(async () => actsOf("b9").length === 4);
    expect(await run.result()).toEqual(["b9 a", "b9 b", "b9 c"]);
  });

  it("is gone back to by whoever takes the run over, and its superseded states can be looked at", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(listener, { key: "b10", count: 3 });
    await run.signal("word", "one");
    await run.signal("word", "two");
    await waits(run, 5);
    const then = await run.stateAt(4);
    await run.rollback(3);
    await waits(run, 5);
    await cairn.close();
    const another = await bed.open();
    const same = another.run(run.id);
    expect((await same.stateAt(4)).frames).toEqual(then.frames);
    await same.signal("word", "three");
    expect(await same.result()).toEqual(["one", "two", "three"]);
  });

  it("to each state in turn, and from there again, ends as the run did", async () => {
    const { cairn } = await opened();
    const run = await cairn.start(listener, { key: "b11", count: 4 });
    for (const word of ["a", "b", "c", "d"]) await run.signal("word", word);
    expect(await run.result()).toEqual(["a", "b", "c", "d"]);
    for (let round = 0; round < 12; round++) {
      const live = (await run.history()).filter(({ superseded }) => !superseded);
      const { number } = live[(round * 5) % (live.length - 1)]!;
      await run.rollback(number);
      expect(await run.result()).toEqual(["a", "b", "c", "d"]);
    }
    const { attempts } = await stepOf(run, ({ name }) => name === act.name);
    expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index + 1));
  });

  it("counts the tries of a call that is made again from the start", async () => {
    const { bed, cairn } = await opened();
    const run = await cairn.start(child, "b12");
    await waits(run, 2);
    await run.rollback(1);
    await waits(run, 3);
    await run.signal("word", "go");
    await run.result();
    expect(await bed.query("SELECT attempt FROM cairn.step_attempts ORDER BY attempt")).toEqual([
      { attempt: 1 },
      { attempt: 2 },
    ]);
  });
});

describe("the inputs that a state comes from", () => {
  it("are those before it, without what a rollback has superseded", () => {
    const turns = [
      { number: 5, to: 2 },
      { number: 9, to: 6 },
      { number: 11, to: 3 },
    ];
    const of = (number: number): number[] => {
      const lineage = new Lineage(turns, number);
      return Array.from({ length: 14 }, (_, index) => index).filter((each) => lineage.has(each));
    };
    expect(of(4)).toEqual([1, 2, 3, 4]);
    expect(of(8)).toEqual([1, 2, 5, 6, 7, 8]);
    expect(of(10)).toEqual([1, 2, 5, 6, 9, 10]);
    expect(of(12)).toEqual([1, 2, 3, 11, 12]);
    expect(of(0)).toEqual([]);
  });
});
