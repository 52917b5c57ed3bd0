import { describe, expect, it } from "vitest";
import { EngineError, type RunChunk, type RunHandle, type RunStreamOptions } from "../../src/index.ts";
import { testBed, type TestBed, until } from "../support/test-engine.ts";
import { counting, type Streaming, talking, talkingTwice, talks } from "../workflows/streaming.ts";

const talk = (key: string, attempt = 1): Promise<Streaming> =>
  until(async () => talks.find((each) => each.key === key && each.attempt === attempt));

/** What is streamed, as it comes. */
function watched(run: RunHandle, options: RunStreamOptions = {}): { chunks: RunChunk[]; ended: Promise<void> } {
  const chunks: RunChunk[] = [];
  const ended = (async () => {
    for await (const chunk of run.stream(options)) chunks.push(chunk);
  })();
  ended.catch(() => {});
  return { chunks, ended };
}

const values = (chunks: readonly RunChunk[]): unknown[] => chunks.map(({ value }) => value);
const kept = async (bed: TestBed) =>
  (await bed.query<{ text: string }>("SELECT value #>> '{}' AS text FROM cairn.stream_chunks")).map(({ text }) => text);

describe("what an action streams", () => {
  it("is seen while it runs, in order, and ends with the run", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(talking, "live");
    const { chunks, ended } = watched(run);
    const { stream, end } = await talk("live");
    for (const word of ["to", "be", { or: ["not", new Date(0)] }]) await stream(word);
    await until(async () => chunks.length === 3);
    expect(chunks[0]).toEqual({
      call: expect.any(String),
      attempt: 1,
      number: 1,
      value: "to",
      at: expect.any(Date),
      cursor: expect.any(String),
    });
    expect(chunks.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(values(chunks)).toEqual(["to", "be", { or: ["not", new Date(0)] }]);
    await stream("last");
    end("result");
    await ended;
    expect(values(chunks).at(-1)).toBe("last");
    expect(await run.result()).toBe("result");
    // The run itself knows nothing of it.
    expect(JSON.stringify(await run.history())).not.toContain("last");
  });

  it("is whole when the run has ended, also what was not awaited, and can be seen afterwards", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(talking, "flood");
    const { chunks, ended } = watched(run);
    const { stream, end } = await talk("flood");
    const text = "x".repeat(10_000);
    // Some of it fits, some waits for room.
    for (let index = 0; index < 60; index++) void stream([index, text]);
    end();
    await ended;
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    expect(chunks.map(({ value }) => (value as [number])[0])).toEqual(numbers);
    const later = watched(cairn.run(run.id));
    await later.ended;
    expect(later.chunks.map(({ number }) => number)).toEqual(numbers.map((index) => index + 1));
    await expect(stream("late")).rejects.toThrow("its attempt has ended");
  });

  it("keeps texts that no other encoding would: NUL, half a surrogate pair, what looks like a tag", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(talking, "odd");
    const { chunks, ended } = watched(run);
    const { stream, end } = await talk("odd");
    const odd = ["\0", "\ud800", "\udc00 \ud83d\ude00", { $date: 1 }, -0, Number.NaN, undefined, new Map([[1, 2n]])];
    for (const each of odd) await stream(each);
    end();
    await ended;
    expect(values(chunks)).toEqual(odd);
  });

  it("of a second attempt begins at 1 again", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(talking, "again");
    const { chunks, ended } = watched(run);
    const first = await talk("again", 1);
    await first.stream("a");
    await first.stream("b");
    first.fail(new Error("once more"));
    const second = await talk("again", 2);
    await expect(first.stream("late")).rejects.toThrow("its attempt has ended");
    await second.stream("c");
    second.end();
    await ended;
    expect(chunks.map(({ attempt, number, value }) => [attempt, number, value])).toEqual([
      [1, 1, "a"],
      [1, 2, "b"],
      [2, 1, "c"],
    ]);
  });

  it("ends for its handler when the run is cancelled, also while it waits for room", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(talking, "cancelled");
    const { stream, signal } = await talk("cancelled");
    // Nothing is written, so there is soon no room.
    const blocker = await bed.open();
    await bed.query("BEGIN");
    await bed.query("LOCK TABLE cairn.stream_chunks IN ACCESS EXCLUSIVE MODE");
    const waiting = Array.from({ length: 10 }, () => stream("x".repeat(60_000)));
    await blocker.run(run.id).cancel("enough");
    await until(async () => signal.aborted);
    await expect(waiting[9]).rejects.toThrow("Nobody waits");
    await expect(stream("more")).rejects.toThrow("Nobody waits");
    await bed.query("ROLLBACK");
    await expect(run.result()).rejects.toThrow("enough");
  });
});

describe("who watches", () => {
  it("in another process sees it too, and goes on from a cursor wherever it was", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const elsewhere = await bed.open();
    const run = await cairn.start(talkingTwice, "two");
    const { chunks, ended } = watched(elsewhere.run(run.id));
    const [a, b] = [await talk("two/a"), await talk("two/b")];
    for (let index = 0; index < 5; index++) {
      await a.stream(`a${index}`);
      await b.stream(`b${index}`);
    }
    await until(async () => chunks.length === 10);
    const cursors = chunks.map(({ cursor }) => cursor);
    await a.stream("a5");
    a.end();
    b.end();
    await ended;
    expect(chunks).toHaveLength(11);
    for (const [index, after] of cursors.entries()) {
      const rest = watched(cairn.run(run.id), { after });
      await rest.ended;
      const seen = chunks.slice(0, index + 1);
      expect([...values(seen), ...values(rest.chunks)].toSorted()).toEqual(values(chunks).toSorted());
    }
  });

  it("does not miss what was written first and is committed last", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(talkingTwice, "late");
    const { chunks, ended } = watched(run);
    const [a, b] = [await talk("late/a"), await talk("late/b")];
    await a.stream("a1");
    await until(async () => chunks.length === 1);
    // As another control plane would, of the other call: its rows are older than those that are seen before them.
    const [{ call }] = (await bed.query<{ call: string }>("SELECT call FROM cairn.stream_chunks")) as [
      { call: string },
    ];
    const other = call === "1.0" ? "1.1" : "1.0";
    await bed.query("BEGIN");
    await bed.query(
      "INSERT INTO cairn.stream_chunks VALUES ($1, $2, 1, 1, '\"b1\"', cairn.now()), ($1, $2, 1, 2, '\"b2\"', cairn.now())",
      run.id,
      other,
    );
    await a.stream("a2");
    await until(async () => chunks.length === 2);
    const { cursor } = chunks.at(-1)!;
    await bed.query("COMMIT");
    await until(async () => chunks.length === 4);
    expect(values(chunks)).toEqual(["a1", "a2", "b1", "b2"]);
    a.end();
    b.end();
    await ended;
    const rest = watched(run, { after: cursor });
    await rest.ended;
    expect(values(rest.chunks)).toEqual(["b1", "b2"]);
  });

  it("waits for nobody: one that does not go on reads nothing, and holds nobody up", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(counting, { to: 3_000, text: " of many" });
    const idle = run.stream();
    const first = await idle.next();
    expect(first.value).toMatchObject({ number: 1 });
    const { chunks, ended } = watched(run);
    await ended;
    expect(chunks).toHaveLength(3_000);
    expect(await run.result()).toBe(3_000);
    let count = 1;
    for await (const { number } of idle) expect(number).toBe(++count);
    expect(count).toBe(3_000);
  });

  it("is told of runs that are not there, of cursors that are none, and goes when it is told to", async () => {
    const bed = await testBed();
    const cairn = await bed.open();
    const run = await cairn.start(talking, "watched");
    const { stream, end } = await talk("watched");
    const other = await cairn.start(talking, "other");
    const otherTalk = await talk("other");
    await stream("one");
    const failing = async (handle: RunHandle, options: RunStreamOptions = {}): Promise<unknown> => {
      const { ended } = watched(handle, options);
      return ended.catch((error: unknown) => error);
    };
    const code = (error: unknown) => (error as EngineError).code;
    expect(code(await failing(cairn.run("01890a5d-ac96-774b-bcce-b302099a8057")))).toBe("NotFound");
    expect(code(await failing(cairn.run("no id")))).toBe("NotFound");
    const stranger = await bed.open({ namespace: "stranger" });
    expect(code(await failing(stranger.run(run.id)))).toBe("NotFound");
    const { value } = await run.stream().next();
    const { cursor } = value!;
    for (const after of ["", "x", Buffer.from('["a",[["b",1]]]').toString("base64url"), `${cursor}x`.slice(3)]) {
      expect(code(await failing(run, { after }))).toBe("InvalidOption");
    }
    expect(await failing(other, { after: cursor })).toMatchObject({ code: "InvalidOption" });
    const controller = new AbortController();
    const leaving = failing(run, { after: cursor, signal: controller.signal });
    controller.abort(new Error("seen enough"));
    expect(await leaving).toMatchObject({ message: "seen enough" });
    end();
    otherTalk.end();
    await Promise.all([run.result(), other.result()]);
  });

  it("sees what is kept: chunks are gone after a while, of a run that goes on too", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ chunksKeptMs: 60_000, leaseMs: 600_000 });
    const run = await cairn.start(talking, "days");
    const { chunks, ended } = watched(run);
    const { stream, end } = await talk("days");
    await stream("yesterday");
    await until(async () => chunks.length === 1);
    await bed.advance(61_000);
    await stream("today");
    await until(async () => (await kept(bed)).join() === "today");
    end();
    await ended;
    expect(values(chunks)).toEqual(["yesterday", "today"]);
    const later = watched(run);
    await later.ended;
    expect(later.chunks.map(({ number, value }) => [number, value])).toEqual([[2, "today"]]);
  });
});
