import { describe, expect, it } from "vitest";
import type { Dispatch } from "../../src/runloop/outside.ts";
import { sendMail } from "../../src/store/mail.ts";
import { wakeRuns } from "../../src/store/wake-runs.ts";
import { testBed, until } from "../support/test-engine.ts";
import { connect, openLoop } from "../support/test-runloop.ts";
import { fan, oneCall, times, twoCalls } from "../workflows/runloop.ts";

const HOUR_MS = 60 * 60 * 1_000;

describe("I10: pure", () => {
  it("`at` never decreases within a run, even when the database's clock is set back, by the owner and by the next one", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(times, 3);
    const first = await loop.call(0);
    await bed.advance(-HOUR_MS);
    loop.runloop.poke();
    loop.answer(first, 1);
    const second = await loop.call(1);
    await loop.runloop.close();
    await bed.advance(-HOUR_MS);

    const next = await openLoop(bed);
    next.runloop.poke();
    await until(async () => next.adopted[0]);
    next.answer(second, 2);
    next.answer(await next.call(0), 3);
    const seen = JSON.parse((await next.end(run)).value) as number[];
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const rows = await bed.query<{ at: Date }>("SELECT at FROM cairn.history ORDER BY number");
    const stored = rows.map(({ at }) => at.getTime());
    expect(stored).toHaveLength(4);
    expect(stored).toEqual([...stored].sort((a, b) => a - b));
    expect(seen).toEqual(stored);
  });

  it("a history that now has other effects stops its run with Diverged; others go on, and nothing of it is lost", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const tampered = await loop.start(twoCalls, 1);
    const other = await loop.start(fan, 1);
    const calls = [await loop.call(0), await loop.call(1)];
    const [first, theirs] = [tampered, other].map((id) => calls.find(({ runId }) => runId === id)!) as [
      Dispatch,
      Dispatch,
    ];
    loop.answer(first, 1);
    await loop.call(2);
    await loop.runloop.close();
    await bed.query("UPDATE cairn.runs SET payload = '100' WHERE id = $1", tampered);

    const next = await openLoop(bed);
    next.runloop.poke();
    const [row] = await until(async () => {
      const rows = await bed.query("SELECT * FROM cairn.workflow_run WHERE id = $1 AND phase = 'paused'", tampered);
      return rows.length > 0 && rows;
    });
    expect(row).toMatchObject({ status: "pending", waiting_for: "an operator" });
    expect(row!["last_error"]).toMatch(/^Diverged: Input 1 of the run/);
    expect(await bed.query("SELECT FROM cairn.run_events WHERE kind = 'stopped'")).toHaveLength(1);
    expect(await bed.query("SELECT FROM cairn.history WHERE run_id = $1", tampered)).toHaveLength(2);
    next.answer(theirs, 1);
    expect(await next.end(other)).toMatchObject({ status: "succeeded" });
  });

  it("a digest that was changed stops the run too; when it is mended, resume goes on", async () => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    const call = await loop.call(0);
    await loop.runloop.close();
    await bed.query("UPDATE cairn.history SET digest = digest || '\\x00'");
    const next = await openLoop(bed);
    next.runloop.poke();
    const stopped = async (): Promise<number> =>
      (await bed.query("SELECT FROM cairn.run_events WHERE kind = 'stopped'")).length;
    await until(async () => (await stopped()) === 1);
    const client = await connect(bed);
    const resume = { runId: run, kind: "resume" as const, call: null, name: null, value: null };

    await sendMail(client, [resume]);
    expect(await wakeRuns(client)).toMatchObject({ count: 1 });
    next.runloop.poke();
    await until(async () => (await stopped()) === 2);
    expect(await wakeRuns(client)).toMatchObject({ count: 0 });

    await bed.query("UPDATE cairn.history SET digest = substring(digest FOR length(digest) - 1)");
    await sendMail(client, [resume]);
    await wakeRuns(client);
    next.runloop.poke();
    await until(async () => next.adopted.length === 1);
    next.answer(call, "went on");
    expect(await next.end(run)).toMatchObject({ status: "succeeded", value: '"went on"' });
  });

  it.each(["cancel", "delete"] as const)("a run that was stopped can be ended: %s", async (kind) => {
    const bed = await testBed();
    const loop = await openLoop(bed);
    const run = await loop.start(oneCall, 1);
    await loop.call(0);
    await loop.runloop.close();
    await bed.query("UPDATE cairn.history SET digest = ''");
    const next = await openLoop(bed);
    next.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.queue WHERE phase = 'paused'")).length === 1);
    const client = await connect(bed);
    await client.query(`SELECT cairn.${kind}_run($1, 'enough')`, [run]);
    await wakeRuns(client);
    next.runloop.poke();
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
    expect(await bed.query("SELECT status, deleted_at IS NOT NULL AS deleted FROM cairn.runs")).toEqual([
      kind === "cancel" ? { status: "cancelled", deleted: false } : { status: "pending", deleted: true },
    ]);
  });
});
