import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blobDigest } from "../../src/blobs/blob-store.ts";
import { newRunId } from "../../src/ids.ts";
import type { Cairn, CairnOptions } from "../../src/index.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { echoes, everywhere, failsLoudly, hears, large, mourns, produces } from "../workflows/large.ts";

/** What a row may have at most, where values are large. */
const ROW_MAX = 5_000;

interface LargeBed extends TestBed {
  readonly options: CairnOptions;
  /** Digests of all blobs. */
  blobs(): Promise<string[]>;
  removeBlob(digest: string): Promise<void>;
}

const digestOf = (text: string): string => blobDigest(Buffer.from(JSON.stringify(text)));

async function inPostgres(): Promise<LargeBed> {
  const bed = await testBed();
  return {
    ...bed,
    options: {},
    blobs: async () =>
      (await bed.query<{ digest: string }>("SELECT encode(digest, 'hex') AS digest FROM cairn.blobs")).map(
        ({ digest }) => digest,
      ),
    removeBlob: async (digest) => {
      await bed.query("DELETE FROM cairn.blobs WHERE digest = decode($1, 'hex')", digest);
    },
  };
}

async function inFolder(): Promise<LargeBed> {
  const bed = await testBed();
  const folder = temporaryFolder("blobs");
  return {
    ...bed,
    options: { blobs: { folder } },
    blobs: async () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name),
    removeBlob: async (digest) => rmSync(join(folder, digest.slice(0, 2), digest)),
  };
}

/** The longest value in any row. */
async function longestRow(bed: TestBed): Promise<number> {
  const [row] = await bed.query<{ most: number }>(`SELECT max(length)::int AS most FROM (
    SELECT octet_length(concat(payload, result, error, last_error)) AS length FROM cairn.runs
    UNION ALL SELECT octet_length(value::text) FROM cairn.history
    UNION ALL SELECT octet_length(data::text) FROM cairn.run_events
    UNION ALL SELECT octet_length(error::text) FROM cairn.failed_attempts
    UNION ALL SELECT octet_length(value::text) FROM cairn.mailbox
    UNION ALL SELECT octet_length(concat(bytes, open)) FROM cairn.snapshots) AS rows`);
  return row!.most;
}

async function waits(cairn: Cairn, id: string, waitingFor: string): Promise<void> {
  await until(async () => (await cairn.run(id).status()).waitingFor === waitingFor);
}

describe.each([
  ["Postgres", inPostgres],
  ["a folder", inFolder],
])("large values in %s", (_, open) => {
  it("go to the blob store from every place, and another engine goes on with them in the middle", async () => {
    const bed = await open();
    const first = await bed.open(bed.options);
    const { id } = await first.start(everywhere, { text: large("i"), letter: "m" });
    await waits(first, id, "the signal news");
    await first.close();
    expect(await longestRow(bed)).toBeLessThan(ROW_MAX);

    const second = await bed.open(bed.options);
    await second.run(id).signal("news", large("s"));
    const result = await second.run(id).result();
    const echoed = `m${large("s")}`;
    const expected = { input: large("i"), made: large("m"), heard: large("s"), echoed, measured: "m1000001" };
    expect(result).toEqual(expected);
    expect(await longestRow(bed)).toBeLessThan(ROW_MAX);

    const third = await bed.open(bed.options);
    const seen = third.run(id);
    expect(await seen.result()).toEqual(expected);
    const steps = await seen.steps();
    expect(steps.map(({ name, status }) => [name, status])).toEqual([
      ["large.produce", "succeeded"],
      ["news", "succeeded"],
      ["large.echoes.v1", "succeeded"],
      ["large.measure", "succeeded"],
    ]);
    expect(steps.map(({ result: made }) => made)).toEqual([large("m"), large("s"), echoed, "m1000001"]);
    expect(steps[3]!.args).toEqual([echoed]);
    for (let n = 1; n <= 5; n++) expect(await seen.stateAt(n)).toMatchObject({ number: n });
    expect((await seen.stateAt(3)).open).toMatchObject([{ kind: "child", args: echoed }]);
  });

  it("equal ones share one blob, and small ones make none", async () => {
    const bed = await open();
    const cairn = await bed.open(bed.options);
    const runs = await Promise.all(Array.from({ length: 5 }, () => cairn.start(echoes, large("e"))));
    for (const run of runs) expect(await run.result()).toBe(large("e"));
    expect(await (await cairn.start(echoes, "small")).result()).toBe("small");
    expect(await bed.blobs()).toEqual([digestOf(large("e"))]);
    const [row] = await bed.query<{ payload: unknown; result: unknown }>(
      "SELECT payload, result FROM cairn.workflow_run WHERE id = $1",
      runs[0]!.id,
    );
    const reference = { $blob: digestOf(large("e")), bytes: 1_000_002 };
    expect(row).toEqual({ payload: reference, result: reference });
  });

  it("an idempotency key, and an id, know the value and not where it is", async () => {
    const bed = await open();
    const cairn = await bed.open(bed.options);
    const id = newRunId(Date.now());
    const first = await cairn.start(echoes, large("k"), { idempotencyKey: "key", id });
    expect((await cairn.start(echoes, large("k"), { idempotencyKey: "key" })).id).toBe(id);
    expect((await cairn.start(echoes, large("k"), { id })).id).toBe(id);
    await expect(cairn.start(echoes, large("l"), { idempotencyKey: "key" })).rejects.toMatchObject({
      code: "IdempotencyConflict",
    });
    await expect(cairn.start(echoes, large("l"), { id })).rejects.toMatchObject({ code: "IdConflict" });
    const fromSql = (options: object): Promise<{ id: string }[]> =>
      bed.query("SELECT cairn.start_run($1, $2, $3) AS id", "large.echoes.v1", JSON.stringify(large("k")), options);
    expect(await fromSql({ idempotencyKey: "key" })).toEqual([{ id: first.id }]);
    expect(await fromSql({ id })).toEqual([{ id: first.id }]);
    await expect(cairn.start(echoes, "x".repeat(17_000_000))).rejects.toMatchObject({ code: "PayloadTooLarge" });
    const run = await cairn.start(hears);
    await expect(run.signal("news", "x".repeat(17_000_000))).rejects.toMatchObject({ code: "PayloadTooLarge" });
  });

  it("what SQL starts stays in its row, and its result does not", async () => {
    const bed = await open();
    const cairn = await bed.open(bed.options);
    const [run] = await bed.query<{ id: string }>(
      "SELECT cairn.start_run('large.echoes.v1', $1) AS id",
      JSON.stringify(large("q")),
    );
    expect(await cairn.run(run!.id).result()).toBe(large("q"));
    const rows = await bed.query("SELECT octet_length(payload::text) AS payload, result FROM cairn.runs");
    expect(rows).toEqual([{ payload: 1_000_002, result: { $blob: digestOf(large("q")), bytes: 1_000_002 } }]);
  });

  it("errors: of tries, of the run, and in its dead letter", async () => {
    const bed = await open();
    const cairn = await bed.open(bed.options);
    await cairn.register(mourns);
    const run = await cairn.start(failsLoudly, "f", { deadLetterType: "large.mourns.v1" });
    await until(async () => (await bed.query("SELECT FROM cairn.failed_attempts")).length === 1);
    await bed.advance(1_000);
    await expect(run.result()).rejects.toThrow(new RangeError(large("f")));
    const other = await bed.open(bed.options);
    await expect(other.run(run.id).result()).rejects.toThrow(new RangeError(large("f")));
    const [step] = await other.run(run.id).steps();
    expect(step!.attempts.map(({ error }) => (error as Error).message)).toEqual([large("f"), large("f")]);
    const mourning = await until(async () => (await cairn.runs({ type: "large.mourns.v1" }))[0]);
    expect(await cairn.run(mourning.id).result()).toBe("f 1000000");
    expect(await longestRow(bed)).toBeLessThan(ROW_MAX);
  });

  it("one that is missing is named to whoever asks, its run waits for an operator, and neighbours go on", async () => {
    const bed = await open();
    const first = await bed.open(bed.options);
    const damaged = await first.start(everywhere, { text: "small", letter: "d" });
    const healthy = await first.start(everywhere, { text: "small", letter: "h" });
    for (const { id } of [damaged, healthy]) await waits(first, id, "the signal news");
    await first.close();
    const digest = digestOf(large("d"));
    await bed.removeBlob(digest);
    // Its snapshot has the value too.
    await bed.query("DELETE FROM cairn.snapshots WHERE run_id = $1", damaged.id);

    const second = await bed.open({ ...bed.options, onWarning: () => {} });
    for (const { id } of [damaged, healthy]) await second.run(id).signal("news", "go");
    expect(await second.run(healthy.id).result()).toMatchObject({ made: large("h"), heard: "go" });
    await waits(second, damaged.id, "an operator");
    const { lastError } = await second.run(damaged.id).status();
    expect(lastError).toMatch(/^BlobMissing: /);
    for (const part of [digest, damaged.id, "Input 2 (result"]) expect(lastError).toContain(part);
    await expect(second.run(damaged.id).steps()).rejects.toMatchObject({ name: "EngineError", code: "BlobMissing" });
    await expect(second.run(damaged.id).stateAt(2)).rejects.toThrow(digest);

    // It comes back with the same value of another run.
    await second.start(produces, "d").then((run) => run.result());
    await second.run(damaged.id).resume();
    expect(await second.run(damaged.id).result()).toMatchObject({ made: large("d"), heard: "go" });
  });

  it("a missing result is an error of the call that asks for it", async () => {
    const bed = await open();
    const cairn = await bed.open(bed.options);
    const run = await cairn.start(produces, "r");
    await run.result();
    await bed.removeBlob(digestOf(large("r")));
    const failure = cairn.run(run.id).result();
    await expect(failure).rejects.toMatchObject({ name: "EngineError", code: "BlobMissing" });
    await expect(failure).rejects.toThrow(`The result of the run ${run.id}`);
  });

  it("a run whose input is missing can still be cancelled", async () => {
    const bed = await open();
    const cairn = await bed.open({ ...bed.options, onWarning: () => {} });
    const run = await cairn.start(echoes, large("c"), { runAt: new Date(Date.now() + 3_600_000) });
    await bed.removeBlob(digestOf(large("c")));
    await bed.advance(3_700_000);
    await waits(cairn, run.id, "an operator");
    await run.cancel("no use");
    await expect(run.result()).rejects.toThrow("no use");
  });

  it("a signal whose value is missing stops its run, until it is mended; nothing overtakes it", async () => {
    const bed = await open();
    const cairn = await bed.open({ ...bed.options, onWarning: () => {} });
    const run = await cairn.start(hears);
    await waits(cairn, run.id, "the signal news");
    await run.pause();
    await until(async () => (await run.status()).phase === "paused");
    await run.signal("news", large("1"));
    await run.signal("news", "second");
    await bed.removeBlob(digestOf(large("1")));
    await run.resume();
    await waits(cairn, run.id, "an operator");
    expect((await run.status()).lastError).toMatch(/^BlobMissing: A letter \(signal news\) of the run/);
    expect(await bed.query("SELECT kind FROM cairn.mailbox ORDER BY id")).toEqual([
      { kind: "signal" },
      { kind: "signal" },
    ]);

    await (await cairn.start(produces, "1")).result();
    await run.resume();
    expect(await run.result()).toBe("11000000 second");
  });

  it("a run that is stopped by a signal whose value is missing can be cancelled", async () => {
    const bed = await open();
    const cairn = await bed.open({ ...bed.options, onWarning: () => {} });
    const run = await cairn.start(hears);
    await waits(cairn, run.id, "the signal news");
    await run.pause();
    await until(async () => (await run.status()).phase === "paused");
    await run.signal("news", large("2"));
    await bed.removeBlob(digestOf(large("2")));
    await run.resume();
    await waits(cairn, run.id, "an operator");
    await run.cancel("hopeless");
    await expect(run.result()).rejects.toThrow("hopeless");
    expect(await run.status()).toMatchObject({ status: "cancelled" });
  });

  it("are where runloops in threads look for them", async () => {
    const bed = await open();
    const cairn = await bed.open({ ...bed.options, runloops: 1 });
    const run = await cairn.start(everywhere, { text: large("t"), letter: "u" });
    await run.signal("news", large("v"));
    expect(await run.result()).toMatchObject({ input: large("t"), made: large("u"), heard: large("v") });
    expect(await bed.blobs()).toContain(digestOf(large("u")));
    expect(await longestRow(bed)).toBeLessThan(ROW_MAX);
  });
});

describe("CAIRN_BLOBS", () => {
  it("is the folder of large values", async () => {
    const bed = await testBed();
    const folder = join(temporaryFolder(), "made", "here");
    process.env["CAIRN_BLOBS"] = folder;
    try {
      const cairn = await bed.open();
      expect(await (await cairn.start(echoes, large("b"))).result()).toBe(large("b"));
    } finally {
      delete process.env["CAIRN_BLOBS"];
    }
    expect(readdirSync(folder)).toEqual([digestOf(large("b")).slice(0, 2)]);
    expect(await bed.query("SELECT FROM cairn.blobs")).toEqual([]);
  });

  it("that can no longer be written refuses large inputs and signals, and no others", async () => {
    const bed = await testBed();
    const folder = temporaryFolder("blobs");
    const cairn = await bed.open({ blobs: { folder } });
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "in the way");
    const [refused, started] = await Promise.allSettled([
      cairn.start(echoes, large("n")),
      cairn.start(echoes, "small"),
    ]);
    expect(refused).toMatchObject({ reason: { name: "EngineError", code: "Unavailable" } });
    expect(started.status).toBe("fulfilled");
    const run = await cairn.start(hears);
    await expect(run.signal("news", large("n"))).rejects.toMatchObject({ code: "Unavailable" });
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(2);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("that is no folder is refused before anything is opened", async () => {
    const bed = await testBed();
    const file = process.execPath;
    await expect(bed.open({ blobs: { folder: file } })).rejects.toMatchObject({ code: "InvalidOption" });
    await expect(bed.open({ blobs: { folder: "" } })).rejects.toThrow("blobs.folder is the path of a folder");
    await expect(bed.open({ blobs: { folder: "a", size: 1 } as { folder: string } })).rejects.toThrow('"size"');
  });
});
