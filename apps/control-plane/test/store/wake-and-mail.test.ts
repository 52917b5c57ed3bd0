import { describe, expect, it } from "vitest";
import { type Envelope, envelopesOf, openLetters, runsWithMail, sendMail, sweepMail } from "../../src/store/mail.ts";
import { referenceTo } from "../../src/blobs/reference.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import type { MailKind, NewMail } from "../../src/store/transition.ts";
import { NEXT_ATTEMPT, wakeRuns } from "../../src/store/wake-runs.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";

/** A run that was begun and is parked. */
async function parked(
  bed: StoreBed,
  how: { wakeInMs?: number; phase?: string; waitingFor?: string } = {},
): Promise<string> {
  const run = await bed.newRun();
  await startRuns(bed.client, null, [run]);
  await bed.query(
    `UPDATE cairn.queue SET state = 'parked', started_at = cairn.now(), phase = $2, paused = $2 = 'paused', waiting_for = $3,
      wake_at = cairn.now() + $4::float8 * interval '1 ms' WHERE run_id = $1`,
    run.id,
    how.phase ?? "waiting",
    how.waitingFor ?? null,
    how.wakeInMs ?? null,
  );
  return run.id;
}

function letter(runId: string, kind: MailKind = "signal", value = '"x"'): NewMail {
  return { runId, kind, call: null, name: kind === "signal" ? "news" : null, value };
}

async function envelopes(bed: StoreBed, ...runs: string[]): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for await (const some of envelopesOf(bed.client, runs)) all.push(...some);
  return all;
}

const ready = async (bed: StoreBed): Promise<string[]> =>
  (await bed.query<{ id: string }>("SELECT run_id AS id FROM cairn.queue WHERE state = 'ready' ORDER BY 1")).map(
    ({ id }) => id,
  );

describe("parked runs", () => {
  it("wake when they are due, and not before; it is known when the next one is", async () => {
    const bed = await storeBed();
    const soon = await parked(bed, { wakeInMs: 60_000, phase: "sleeping" });
    const later = await parked(bed, { wakeInMs: 600_000, phase: "sleeping" });
    const first = await wakeRuns(bed.client);
    expect(first.count).toBe(0);
    expect(first.nextInMs).toBeGreaterThan(30_000);
    expect(first.nextInMs).toBeLessThanOrEqual(60_000);
    await bed.advance(60_000);
    expect((await wakeRuns(bed.client)).count).toBe(1);
    expect(await ready(bed)).toEqual([soon]);
    expect(await bed.query("SELECT wake_at, phase, waiting_for FROM cairn.queue WHERE run_id = $1", soon)).toEqual([
      { wake_at: null, phase: "ready", waiting_for: null },
    ]);
    await bed.advance(540_000);
    expect(await wakeRuns(bed.client)).toEqual({ count: 1, nextInMs: null });
    expect(await ready(bed)).toEqual([soon, later].sort());
  });

  it("that are due in a thousand years are no trouble", async () => {
    const bed = await storeBed();
    await parked(bed, { wakeInMs: 1_000 * 365 * 24 * 3_600_000 });
    expect(await wakeRuns(bed.client)).toEqual({ count: 0, nextInMs: 2 ** 31 - 1 });
  });

  it("wake by mail if they wait for something", async () => {
    const bed = await storeBed();
    const run = await parked(bed, { wakeInMs: 60_000 });
    await parked(bed);
    await sendMail(bed.client, [letter(run)]);
    expect((await wakeRuns(bed.client)).count).toBe(1);
    expect(await ready(bed)).toEqual([run]);
  });

  it.each([
    ["a run that is paused", { phase: "paused" }, "resume", "pause"],
    [
      "a run that waits for its next attempt",
      { phase: "sleeping", waitingFor: NEXT_ATTEMPT, wakeInMs: 60_000 },
      "pause",
      "resume",
    ],
  ] as const)("%s is woken by what ends it, or changes whether it waits, alone", async (_name, how, waking, idle) => {
    const bed = await storeBed();
    const [silent, ...others] = await Promise.all([1, 2, 3, 4].map(() => parked(bed, how)));
    await sendMail(bed.client, [letter(silent!), letter(silent!, idle, "null")]);
    expect((await wakeRuns(bed.client)).count).toBe(0);
    const kinds = [waking, "cancel", "delete"] as const;
    await sendMail(
      bed.client,
      kinds.map((kind, index) => letter(others[index]!, kind)),
    );
    expect((await wakeRuns(bed.client)).count).toBe(3);
    expect(await ready(bed)).toEqual([...others].sort());
  });

  it("that have not begun wait for their time, whatever mail they have", async () => {
    const bed = await storeBed();
    const runAt =
      (await bed.query<{ at: number }>("SELECT extract(epoch FROM cairn.now())::float8 * 1000 AS at"))[0]!.at + 60_000;
    const run = await bed.newRun({ runAt });
    await startRuns(bed.client, null, [run]);
    await sendMail(bed.client, [letter(run.id), letter(run.id, "pause"), letter(run.id, "resume")]);
    expect((await wakeRuns(bed.client)).count).toBe(0);
    await bed.advance(60_000);
    expect((await wakeRuns(bed.client)).count).toBe(1);
  });

  it("are woken once by many who look at once, and nobody waits for a locked one", async () => {
    const bed = await storeBed();
    const locked = await parked(bed, { wakeInMs: 0 });
    await Promise.all(Array.from({ length: 50 }, () => parked(bed, { wakeInMs: 0 })));
    await bed.advance(1);
    await bed.sql.query("BEGIN");
    await bed.query("SELECT FROM cairn.queue WHERE run_id = $1 FOR UPDATE", locked);
    const clients = await Promise.all(Array.from({ length: 5 }, () => bed.connect()));
    const counts = await Promise.all(clients.map(async (client) => (await wakeRuns(client)).count));
    expect(counts.reduce((a, b) => a + b)).toBe(50);
    await bed.sql.query("COMMIT");
  });
});

describe("mail", () => {
  it("is read in the order it was sent, of each run at most 1,000 letters at a time", async () => {
    const bed = await storeBed();
    const [one, two] = [await parked(bed), await parked(bed)];
    const letters = Array.from({ length: 1_300 }, (_, index) => letter(one, "signal", String(index)));
    expect(await sendMail(bed.client, [letter(two), ...letters])).toEqual(new Set([one, two]));
    const read = await envelopes(bed, one, two);
    expect(read.filter(({ runId }) => runId === two)).toHaveLength(1);
    expect(read.filter(({ runId }) => runId === one).map(({ value }) => Number(value))).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index),
    );
  });

  it("of an owner is that of the runs it holds", async () => {
    const bed = await storeBed();
    const owner = await bed.owner();
    const run = await bed.newRun();
    await startRuns(owner.client, owner.id, [run]);
    const other = await parked(bed);
    await sendMail(bed.client, [letter(run.id), letter(other)]);
    expect(await runsWithMail(bed.client, owner.id)).toEqual([run.id]);
    expect(await envelopes(bed, run.id)).toMatchObject([
      { runId: run.id, kind: "signal", name: "news", value: '"x"', bytes: 3 },
    ]);
  });

  it("that is large is not read before it is asked for: only how large it is, also of what is a blob", async () => {
    const bed = await storeBed();
    const run = await parked(bed);
    const large = JSON.stringify("é".repeat(1_000));
    const reference = referenceTo("ab".repeat(32), 5_000_000);
    await sendMail(bed.client, [letter(run), letter(run, "signal", large), letter(run, "signal", reference)]);
    const found = await envelopes(bed, run);
    expect(found.map(({ bytes, value }) => [bytes, value])).toEqual([
      [3, '"x"'],
      [2_002, null],
      [5_000_000, null],
    ]);
    const letters = await openLetters(bed.client, found);
    expect(letters.map(({ value }) => value)).toEqual(['"x"', large, reference]);
  });

  it("that ends, pauses or resumes a run is seen behind however many signals", async () => {
    const bed = await storeBed();
    const run = await parked(bed);
    const signals = Array.from({ length: 1_500 }, () => letter(run));
    await sendMail(bed.client, [
      letter(run, "resume", "null"),
      ...signals,
      letter(run, "cancel"),
      letter(run, "pause"),
    ]);
    const found = await envelopes(bed, run);
    expect(found).toHaveLength(1_002);
    expect(found.filter(({ kind }) => kind !== "signal").map(({ kind }) => kind)).toEqual([
      "resume",
      "cancel",
      "pause",
    ]);
  });

  it("of many runs is found for all of them", async () => {
    const bed = await storeBed();
    const runs = await Promise.all(Array.from({ length: 250 }, () => parked(bed)));
    await sendMail(
      bed.client,
      runs.map((run) => letter(run)),
    );
    expect((await envelopes(bed, ...runs)).map(({ runId }) => runId)).toEqual(runs);
    expect((await wakeRuns(bed.client)).count).toBe(250);
  });

  it("to runs that have ended, or that there are not, is not kept", async () => {
    const bed = await storeBed();
    const run = await parked(bed);
    await bed.query("DELETE FROM cairn.queue");
    expect(await sendMail(bed.client, [letter(run)])).toEqual(new Set());
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });

  it("that was left at the end becomes undelivered events, with whatever is in it", async () => {
    const bed = await storeBed();
    const [ended, live] = [await parked(bed), await parked(bed)];
    const value = String.raw`"\u0000\ud800"`;
    await sendMail(bed.client, [letter(ended, "signal", value), letter(live)]);
    await bed.query("DELETE FROM cairn.queue WHERE run_id = $1", ended);
    await sweepMail(bed.client);
    expect(await bed.query("SELECT run_id AS id FROM cairn.mailbox")).toEqual([{ id: live }]);
    const events = await bed.query("SELECT run_id AS id, data::text FROM cairn.run_events WHERE kind = 'undelivered'");
    expect(events).toEqual([{ id: ended, data: `{"kind" : "signal", "name" : "news", "value" : ${value}}` }]);
  });
});
