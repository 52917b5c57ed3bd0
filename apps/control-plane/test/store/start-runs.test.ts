import pg from "pg";
import { describe, expect, it } from "vitest";
import { newRunId } from "../../src/ids.ts";
import type { StartRunOptions } from "../../src/index.ts";
import { findEarlierRuns, startRuns } from "../../src/store/start-runs.ts";
import { databaseTime } from "../../src/store/time.ts";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";
import { echo, sums } from "../workflows/basics.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const TABLES = ["runs", "queue", "run_events", "idempotency_keys"];

async function counts(bed: StoreBed): Promise<number[]> {
  return Promise.all(TABLES.map(async (table) => (await bed.query(`SELECT FROM cairn.${table}`)).length));
}

describe("starting runs", () => {
  it("writes a whole batch in one transaction, and says how each begins", async () => {
    const bed = await storeBed();
    const now = await databaseTime(bed.client);
    const runs = [
      await bed.newRun(),
      await bed.newRun({ runAt: now + DAY_MS }),
      await bed.newRun({ runAt: now - DAY_MS, priority: 5, tags: ["a", 'b",{}\\'] }),
    ];
    const started = await startRuns(bed.client, null, runs);
    expect(started.map(({ id, state }) => [id, state]).sort()).toEqual(
      runs.map(({ id }, index) => [id, index === 1 ? "parked" : "ready"]).sort(),
    );
    expect(await bed.query("SELECT DISTINCT xmin::text FROM cairn.runs")).toHaveLength(1);
    const rows = await bed.query(
      "SELECT state, wake_at, ready_at, phase FROM cairn.queue ORDER BY array_position($1::uuid[], run_id)",
      runs.map(({ id }) => id),
    );
    expect(rows[1]).toMatchObject({ state: "parked", wake_at: new Date(now + DAY_MS), phase: "sleeping" });
    // A time in the past is no right to go before others.
    expect(rows[2]!["ready_at"].getTime()).toBeGreaterThanOrEqual(now);
    expect(await bed.query("SELECT tags FROM cairn.runs WHERE id = $1", runs[2]!.id)).toEqual([
      { tags: ["a", 'b",{}\\'] },
    ]);
  });

  it("gives those that are due to the owner who starts them, while its lease is alive", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const now = await databaseTime(bed.client);
    const runs = [await bed.newRun(), await bed.newRun({ runAt: now + DAY_MS })];
    const started = await startRuns(owner.client, owner.id, runs);
    expect(new Map(started.map(({ id, state }) => [id, state]))).toEqual(
      new Map([
        [runs[0]!.id, "held"],
        [runs[1]!.id, "parked"],
      ]),
    );
    await bed.advance(31_000);
    const late = await startRuns(owner.client, owner.id, [await bed.newRun()]);
    expect(late).toMatchObject([{ state: "ready" }]);
    const [row] = await bed.query("SELECT owner, phase, calls_out FROM cairn.queue WHERE run_id = $1", late[0]!.id);
    expect(row).toEqual({ owner: null, phase: "ready", calls_out: false });
  });

  it("again with the same ids starts none again, and finds them", async () => {
    const bed = await storeBed();
    const runs = [await bed.newRun(), await bed.newRun({ payload: '"two"' })];
    expect(await startRuns(bed.client, null, [runs[0]!])).toHaveLength(1);
    expect(await startRuns(bed.client, null, runs)).toMatchObject([{ id: runs[1]!.id }]);
    expect(await startRuns(bed.client, null, runs)).toEqual([]);
    const earlier = await findEarlierRuns(bed.client, [...runs, await bed.newRun()]);
    expect(earlier.map((run) => [run?.id, run?.payloadDigest])).toEqual([
      [runs[0]!.id, runs[0]!.payloadDigest],
      [runs[1]!.id, runs[1]!.payloadDigest],
      [undefined, undefined],
    ]);
    expect(await counts(bed)).toEqual([2, 2, 2, 0]);
  });

  it("by the library takes every option", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const now = await databaseTime(bed.client);
    const options = {
      id: newRunId(now),
      runAt: new Date(now + DAY_MS),
      deadline: new Date(now + 2 * DAY_MS),
      priority: 100,
      idempotencyKey: "k",
      maxAttempts: 9,
      tags: ["x", "y"],
      deadLetterType: "test.dead.v1",
    };
    const run = await cairn.start(sums, { n: 1 }, options);
    expect(run.id).toBe(options.id);
    expect(await bed.query("SELECT * FROM cairn.runs")).toMatchObject([
      {
        id: options.id,
        run_at: options.runAt,
        deadline: options.deadline,
        priority: 100,
        idempotency_key: "k",
        max_attempts: 9,
        tags: ["x", "y"],
        dead_letter_type: "test.dead.v1",
        checked: true,
      },
    ]);
  });

  it("by the library of many at once are few transactions", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await cairn.register(sums);
    const runAt = new Date((await databaseTime(bed.client)) + DAY_MS);
    await Promise.all(Array.from({ length: 500 }, () => cairn.start(sums, { n: 1 }, { runAt })));
    const [row] = await bed.query(
      "SELECT count(*)::int AS runs, count(DISTINCT xmin::text)::int AS commits FROM cairn.runs",
    );
    expect(row!["runs"]).toBe(500);
    expect(row!["commits"]).toBeLessThanOrEqual(5);
  });
});

describe("what is wrong with a start", () => {
  const lone = "a\ud800b";
  const refused: readonly (readonly [code: string, options: object, message: string])[] = [
    ["InvalidOption", { unknown: 1 }, 'A run has no option "unknown". There are id, version'],
    ["InvalidOption", { priority: 101 }, "The priority is a whole number from -100 to 100, not 101"],
    ["InvalidOption", { priority: -100.5 }, "The priority is a whole number from -100 to 100, not -100.5"],
    ["InvalidOption", { priority: Number.NaN }, "The priority is a whole number from -100 to 100, not NaN"],
    ["InvalidOption", { priority: "5" }, 'The priority is a whole number from -100 to 100, not "5"'],
    ["InvalidOption", { maxAttempts: 0 }, "maxAttempts is a whole number from 1 to 1000, not 0"],
    ["InvalidOption", { maxAttempts: 1e9 }, "maxAttempts is a whole number from 1 to 1000"],
    ["InvalidOption", { idempotencyKey: "" }, "idempotencyKey is a text of 1 to 500 characters"],
    ["InvalidOption", { idempotencyKey: "k".repeat(501) }, "idempotencyKey is a text of 1 to 500 characters"],
    ["InvalidOption", { idempotencyKey: 7 }, "idempotencyKey is a text of 1 to 500 characters"],
    ["InvalidOption", { idempotencyKey: "a\0b" }, "idempotencyKey has a character that cannot be stored"],
    ["InvalidOption", { idempotencyKey: lone }, "idempotencyKey has a character that cannot be stored"],
    ["InvalidOption", { version: "\0" }, "version has a character that cannot be stored"],
    ["InvalidOption", { deadLetterType: lone }, "deadLetterType has a character that cannot be stored"],
    ["InvalidOption", { tags: "abc" }, "tags is an array of at most 50 texts"],
    ["InvalidOption", { tags: ["ok", "a\0b"] }, "tags[1] has a character that cannot be stored"],
    ["InvalidOption", { tags: [lone] }, "tags[0] has a character that cannot be stored"],
    ["InvalidOption", { tags: [null] }, "tags[0] is a text of 1 to 200 characters"],
    ["InvalidOption", { tags: Array.from({ length: 51 }, () => "t") }, "tags is an array of at most 50 texts"],
    ["InvalidOption", { runAt: "2026-01-01" }, "runAt is a Date from the year 1 to 9999"],
    ["InvalidOption", { runAt: new Date(Number.NaN) }, "runAt is a Date from the year 1 to 9999"],
    ["InvalidOption", { runAt: new Date(-8.64e15) }, "runAt is a Date from the year 1 to 9999"],
    ["InvalidOption", { runAt: new Date(8.64e15) }, "runAt is a Date from the year 1 to 9999"],
    ["InvalidOption", { deadline: 5 }, "deadline is a Date from the year 1 to 9999"],
    ["DeadlinePassed", { deadline: new Date(0) }, "The deadline 1970-01-01T00:00:00.000Z has passed"],
    [
      "InvalidOption",
      { deadline: new Date("2999-01-01"), runAt: new Date("2999-01-02") },
      "The run would begin after its",
    ],
    ["InvalidId", { id: "no uuid" }, '"no uuid" is no UUID of version 7'],
    ["InvalidId", { id: newRunId(0) }, "is no UUID of version 7 of the last day or the next hour"],
    ["InvalidId", { id: newRunId(Date.now() + DAY_MS) }, "is no UUID of version 7 of the last day or the next hour"],
    ["InvalidId", { id: newRunId(Date.now()).replace(/(?<=^.{14})7/, "4") }, "is no UUID of version 7"],
    [
      "UnknownType",
      { version: "none" },
      "Nothing is registered as test.echo.v1 in the version none in the namespace default",
    ],
  ];

  it("is said with a code and a clear message; nothing is written, and neighbours in the same batch are undisturbed", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await cairn.register(echo);
    const attempts = refused.map(([, options]) => cairn.start(echo, "x", options as StartRunOptions));
    const outcomes = Promise.allSettled(attempts);
    const neighbours = await Promise.all([1, 2, 3].map((n) => cairn.start(echo, `neighbour ${n}`)));
    (await outcomes).forEach((outcome, index) => {
      const [code, options, message] = refused[index]!;
      expect(outcome, JSON.stringify(options)).toMatchObject({
        status: "rejected",
        reason: { name: "EngineError", code, message: expect.stringContaining(message) },
      });
    });
    expect(await Promise.all(neighbours.map((run) => run.result()))).toEqual([
      "neighbour 1",
      "neighbour 2",
      "neighbour 3",
    ]);
    expect((await counts(bed))[0]).toBe(3);
  });

  it("an unknown type, also one whose name no database could hold, is refused", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    for (const type of ["test.unknown.v1", "a\0b", "a\ud800b", "", "x".repeat(100_000)]) {
      await expect(cairn.start(type, 1)).rejects.toMatchObject({ code: "UnknownType" });
    }
    expect(await counts(bed)).toEqual([0, 0, 0, 0]);
    expect(await (await cairn.start(echo, "still there")).result()).toBe("still there");
  });

  it("an input against the schema is refused, by the declared workflow and by its name alone", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await cairn.register(sums);
    await expect(cairn.start(sums, { n: "x" } as never)).rejects.toThrow(/n/);
    const [version] = await bed.query("SELECT * FROM cairn.workflow_versions WHERE name = 'test.sums.v1'");
    await bed.query(
      `INSERT INTO cairn.workflow_versions SELECT namespace, 'test.by_name.v1', version, kind, program_hash, program,
        input_schema, max_attempts, tags, lease_ms, created_at FROM cairn.workflow_versions WHERE name = 'test.sums.v1'`,
    );
    const options = { version: version!["version"] };
    await expect(cairn.start("test.by_name.v1", { n: "x" }, options)).rejects.toMatchObject({
      code: "InvalidInput",
      message: expect.stringContaining("test.by_name.v1: input"),
    });
    expect(await counts(bed)).toEqual([0, 0, 0, 0]);
    const [large, functions] = [`${"x".repeat(20 * 1024 * 1024)}`, () => 1];
    await expect(cairn.start(echo, large)).rejects.toMatchObject({ code: "PayloadTooLarge" });
    await expect(cairn.start(echo, functions as never)).rejects.toThrow(/input/);
    expect(await counts(bed)).toEqual([0, 0, 0, 0]);
  });

  it("NUL and halves of surrogate pairs in an input are none: they come out as they went in", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const strange = "\0\ud800 \udc00\ud800 \u2028 \ufeff";
    expect(await (await cairn.start(echo, strange)).result()).toBe(strange);
  });

  it("an id that is that of another run is refused; of the same start, it is the same run", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const id = newRunId(await databaseTime(bed.client));
    const handles = await Promise.all([1, 2, 3].map(() => cairn.start(echo, "x", { id })));
    expect(new Set(handles.map((handle) => handle.id))).toEqual(new Set([id]));
    await expect(cairn.start(echo, "y", { id })).rejects.toMatchObject({ code: "IdConflict" });
    const other = await bed.open({ namespace: "other" });
    await expect(other.start(echo, "x", { id })).rejects.toMatchObject({ code: "IdConflict" });
    expect((await counts(bed))[0]).toBe(1);
  });

  it("what the database refuses is told to who asked for it, and neighbours in the same batch are started", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await cairn.register(echo);
    await bed.query("ALTER TABLE cairn.runs ADD CONSTRAINT test CHECK (priority <> 13)");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) => cairn.start(echo, `${index}`, index === 4 ? { priority: 13 } : {})),
    );
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(Array.from({ length: 9 }, (_, i) => i !== 4));
    expect((outcomes[4] as PromiseRejectedResult).reason).toBeInstanceOf(pg.DatabaseError);
    await until(async () => (await bed.query("SELECT FROM cairn.runs WHERE status = 'succeeded'")).length === 8);
    expect(await counts(bed)).toEqual([8, 0, expect.any(Number), 0]);
  });
});
