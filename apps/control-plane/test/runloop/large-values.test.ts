import { deliver, newMachine } from "@cairnjs/vm";
import { describe, expect, it } from "vitest";
import { blobDigest, type BlobStore } from "../../src/blobs/blob-store.ts";
import { openBlobs } from "../../src/blobs/open-blobs.ts";
import { referenceTo } from "../../src/blobs/reference.ts";
import { storedForm } from "../../src/blobs/stored-values.ts";
import { digestOf } from "../../src/runloop/digest.ts";
import { Programs } from "../../src/runloop/programs.ts";
import { startInput } from "../../src/runloop/replay.ts";
import { loadRuns } from "../../src/store/load-runs.ts";
import { sendMail } from "../../src/store/mail.ts";
import { takeOver } from "../../src/store/owners.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { connect, openLoop, outcomeOf, startUnowned, type TestLoop } from "../support/test-runloop.ts";
import { large } from "../workflows/large.ts";
import { listening, oneCall, twoCalls } from "../workflows/runloop.ts";

/** More than any of these needs. */
const FUEL = 1_000_000_000;

/** A store that does what the test says before it writes, and after. */
async function storeWith(
  bed: TestBed,
  how: { readonly before?: () => Promise<void>; readonly after?: () => Promise<void> },
): Promise<BlobStore & { readonly puts: number[] }> {
  const real = openBlobs(await connect(bed), null);
  const puts: number[] = [];
  const putMany = async (blobs: readonly Uint8Array[]): Promise<string[]> => {
    puts.push(blobs.length);
    await how.before?.();
    const digests = await real.putMany(blobs);
    await how.after?.();
    return digests;
  };
  return { puts, putMany, put: async (bytes) => (await putMany([bytes]))[0]!, get: (digest) => real.get(digest) };
}

function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

describe("large values of a step", () => {
  it("that are slow to write keep no neighbour waiting", async () => {
    const bed = await testBed();
    const slow = gate();
    const loop = await openLoop(bed, { blobs: await storeWith(bed, { before: () => slow.passed }) });
    const [first, second] = [await loop.start(oneCall, 1), await loop.start(oneCall, 2)];
    const calls = [await loop.call(0), await loop.call(1)];
    loop.answer(
      calls.find(({ runId }) => runId === first)!,
      large("a"),
    );
    loop.answer(
      calls.find(({ runId }) => runId === second)!,
      "small",
    );
    expect(await loop.end(second)).toMatchObject({ value: '"small"' });
    // I1: nothing is said of what is not durable.
    expect(loop.ended.map(({ runId }) => runId)).toEqual([second]);
    expect(loop.acknowledged.map(({ runId }) => runId)).toEqual([second]);
    slow.open();
    expect(await loop.end(first)).toMatchObject({ value: JSON.stringify(large("a")) });
  });

  it("that cannot be written are tried again until they can be, and harm nobody", async () => {
    const bed = await testBed();
    let failures = 3;
    const before = async (): Promise<void> => {
      if (failures-- > 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    };
    const loop = await openLoop(bed, { blobs: await storeWith(bed, { before }) });
    const [first, second] = [await loop.start(oneCall, 1), await loop.start(oneCall, 2)];
    const calls = [await loop.call(0), await loop.call(1)];
    for (const call of calls) loop.answer(call, call.runId === first ? large("b") : "small");
    await loop.end(second);
    expect(await loop.end(first)).toMatchObject({ status: "succeeded", value: JSON.stringify(large("b")) });
    expect(loop.warnings.filter((text) => text.includes(first))).toHaveLength(3);
    expect(loop.lost).toEqual([]);
  });

  it("that the store will never take become an error that the body can catch", async () => {
    const bed = await testBed();
    const before = async (): Promise<void> => {
      throw Object.assign(new Error("too large"), { code: "54000" });
    };
    const loop = await openLoop(bed, { blobs: await storeWith(bed, { before }) });
    const run = await loop.start(oneCall, 1);
    loop.answer(await loop.call(0), large("c"));
    const { status, value } = await loop.end(run);
    expect(status).toBe("failed");
    expect(value).toContain("NotStorable");
  });

  it("I4: after a crash between blob and commit there is a blob too many, and nothing else", async () => {
    const bed = await testBed();
    const crash = gate();
    const loop = await openLoop(bed, { blobs: await storeWith(bed, { after: () => crash.passed }) });
    const run = await loop.start(twoCalls, 1);
    loop.answer(await loop.call(0), large("d"));
    // The result, and the snapshot that is due after so much.
    await until(async () => (await bed.query("SELECT FROM cairn.blobs")).length === 2);
    expect(await bed.query("SELECT kind FROM cairn.history")).toEqual([{ kind: "start" }]);
    const second = await openLoop(bed, { adopt: (calls, runloop) => runloop.strangers(calls) });
    await bed.query("DELETE FROM cairn.owners WHERE id = $1", loop.owner);
    expect(await takeOver(await connect(bed))).toBe(1);
    second.runloop.poke();
    const again = await second.call(0);
    expect(again).toMatchObject({ runId: run, attempt: 2 });
    crash.open();
    await until(async () => loop.lost.length === 1);
    second.answer(again, "another");
    second.answer(await second.call(1), "last");
    expect(await second.end(run)).toMatchObject({ value: '["another","last"]' });
    expect(await bed.query("SELECT FROM cairn.blobs")).toHaveLength(2);
    expect(await bed.query("SELECT FROM cairn.snapshots WHERE blob IS NOT NULL")).toEqual([]);
    expect(await bed.query("SELECT FROM cairn.history WHERE value::text LIKE '%$blob%'")).toEqual([]);
  });

  it.each([
    ["Postgres", async () => null],
    ["a folder", async () => temporaryFolder("blobs")],
  ])("in %s: whoever takes over after a crash goes on from them", async (_, folderOf) => {
    const bed = await testBed();
    const folder = await folderOf();
    const open = async (): Promise<TestLoop> =>
      openLoop(bed, {
        blobs: openBlobs(await connect(bed), folder),
        adopt: (calls, runloop) => runloop.strangers(calls),
      });
    const [first, second] = [await open(), await open()];
    const run = await first.start(twoCalls, 1);
    first.answer(await first.call(0), large("h"));
    await first.call(1);
    await bed.query("DELETE FROM cairn.owners WHERE id = $1", first.owner);
    expect(await takeOver(await connect(bed))).toBe(1);
    second.runloop.poke();
    second.answer(await second.call(0), large("i"));
    expect(await second.end(run)).toMatchObject({ value: JSON.stringify([large("h"), large("i")]) });
    expect(await bed.query("SELECT number FROM cairn.history ORDER BY 1")).toEqual(
      [1, 2, 3].map((number) => ({ number })),
    );
    await until(async () => first.lost.length === 1);
  });

  it("are read when the store answers again, and their run is not stopped meanwhile", async () => {
    const bed = await testBed();
    const first = await openLoop(bed);
    const run = await first.start(twoCalls, 1);
    first.answer(await first.call(0), large("j"));
    await first.call(1);
    await first.runloop.close();
    const real = openBlobs(await connect(bed), null);
    let failures = 3;
    const get = async (digest: string): Promise<Buffer> => {
      if (failures-- > 0) throw Object.assign(new Error("too many connections"), { code: "53300" });
      return real.get(digest);
    };
    const second = await openLoop(bed, {
      blobs: { put: (bytes) => real.put(bytes), putMany: (blobs) => real.putMany(blobs), get },
      adopt: (calls, runloop) => runloop.strangers(calls),
    });
    second.runloop.poke();
    second.answer(await second.call(0), 2);
    expect(await second.end(run)).toMatchObject({ status: "succeeded" });
    expect([second.lost, second.warnings, failures < 0]).toEqual([[], [], true]);
  });

  it("small ones never come near the store", async () => {
    const bed = await testBed();
    const blobs = await storeWith(bed, {});
    const loop = await openLoop(bed, { blobs });
    const run = await loop.start(twoCalls, 1);
    loop.answer(await loop.call(0), "x".repeat(200_000));
    loop.answer(await loop.call(1), 2);
    await loop.end(run);
    expect(blobs.puts).toEqual([]);
  });

  it("one that stands in three rows is put once", async () => {
    const bed = await testBed();
    const blobs = await storeWith(bed, {});
    const loop = await openLoop(bed, { blobs });
    const run = await loop.start(oneCall, 1);
    loop.answer(await loop.call(0), large("e"));
    await loop.end(run);
    expect(blobs.puts).toEqual([1]);
  });

  it("I10: the digest of effects is over the values, wherever they are stored", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    loop.answer(await loop.call(0), large("f"));
    await loop.end(run);
    const rows = await bed.query<{ digest: string }>(
      "SELECT encode(digest, 'hex') AS digest FROM cairn.history WHERE value::text LIKE '%$blob%'",
    );
    const version = await new Programs(loop.control, () => 0).current("default", "loop.one.v1");
    const machine = newMachine(version!.image);
    const [row] = await loadRuns(loop.control, [run]);
    deliver(machine, startInput(row!, 1, 1, 0), FUEL);
    const value = JSON.stringify(large("f"));
    const delivery = deliver(machine, { kind: "result", at: 0, call: (await loop.call(0)).call, value }, FUEL);
    if (!delivery.done) throw new Error("It needs more fuel");
    expect(delivery.effects).toMatchObject([{ kind: "end", value }]);
    expect(rows).toEqual([{ digest: digestOf(delivery.effects) }]);
  });

  it("the outcome of a call of a run that others hold is passed on, and taken from its mail", async () => {
    const bed = await testBed();
    const [holder, host] = [await openLoop(bed), await openLoop(bed)];
    const run = await holder.start(oneCall, 1);
    const call = await holder.call(0);
    host.runloop.outcomes([outcomeOf(call, "result", JSON.stringify(large("g")))]);
    await until(async () => host.acknowledged.length === 1);
    holder.runloop.poke();
    expect(await holder.end(run)).toMatchObject({ value: JSON.stringify(large("g")) });
  });

  it("a result that pretends to be a reference is read as it was sent", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    const secret = await openBlobs(bed.sql, null).put(Buffer.from('"a secret"'));
    loop.runloop.outcomes([outcomeOf(await loop.call(0), "result", referenceTo(secret, 10))]);
    const { status, value } = await loop.end(run);
    expect(status).toBe("failed");
    expect(value).not.toContain("a secret");
    const rows = await bed.query<{ value: string }>("SELECT value FROM cairn.history WHERE kind = 'result'");
    for (const row of rows) expect(row.value).not.toMatchObject({ $blob: secret });
  });

  it("a letter that pretends to be a reference is read as it was sent, and read once: it is no value", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(listening, 1);
    const client = await connect(bed);
    const blobs = openBlobs(client, null);
    const secret = await blobs.put(Buffer.from('"a secret"'));
    const value = await storedForm(blobs, referenceTo(secret, 10));
    const signal = { runId: run, kind: "signal", call: null, name: "news" } as const;
    await sendMail(client, [{ ...signal, value }]);
    await sendMail(client, [{ ...signal, value: '"news"' }]);
    await wakeRuns(client);
    loop.runloop.poke();
    expect((await loop.end(run)).value).toContain("news");
    const [event] = await bed.query("SELECT data FROM cairn.run_events WHERE kind = 'undelivered'");
    expect(event!["data"]).toMatchObject({ name: "news", value: { $blob: secret } });
  });

  it("I7: a run that goes down with its owners ends without its input, if that is missing, and its dead letter is refused", async () => {
    const bed = await testBed();
    const payloadReference = referenceTo(blobDigest(Buffer.from("nowhere")), 7);
    const changes = { payloadReference, deadLetterType: "loop.mourning.v1" };
    const [run] = await startUnowned(bed, oneCall, [1], changes);
    await bed.query("UPDATE cairn.queue SET crashes = 7, started_at = cairn.now()");
    const loop = await openLoop(bed, { alone: true });
    loop.runloop.poke();
    expect((await loop.end(run!)).value).toContain("CrashLimit");
    const events = await bed.query(
      "SELECT data->'$error'->'names'->>0 AS name FROM cairn.run_events WHERE kind = $1",
      "dead letter refused",
    );
    expect(events).toEqual([{ name: "BlobMissing" }]);
    expect(await bed.query("SELECT FROM cairn.runs")).toHaveLength(1);
  });
});
