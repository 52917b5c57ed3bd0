import { describe, expect, it } from "vitest";
import { storeBed } from "../support/test-store.ts";
import { approved, echo } from "../workflows/basics.ts";

/** JSON that Postgres takes, and that no value is encoded to. */
const UNDECODABLE = [
  '{"$date":"nonsense"}',
  '{"$unknown":1}',
  '{"$error":{"names":"no list"}}',
  '[{"$map":5}]',
  '{"$bigint":"1.5"}',
];

describe("a value that fails to decode", () => {
  it("as an input by SQL fails its own run with InvalidInput; neighbours are undisturbed", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await cairn.register(echo);
    const starts = UNDECODABLE.map((payload) =>
      bed.query<{ id: string }>("SELECT cairn.start_run('test.echo.v1', $1::json) AS id", payload),
    );
    const runs = (await Promise.all(starts)).map(([row]) => cairn.run(row!.id));
    expect(await (await cairn.start(echo, "fine")).result()).toBe("fine");
    for (const run of runs) {
      await expect(run.result()).rejects.toMatchObject({
        name: "InvalidInput",
        message: expect.stringContaining("test.echo.v1: input is not a value: Malformed value at value"),
      });
    }
    expect(
      await bed.query(
        "SELECT FROM cairn.history WHERE run_id = ANY ($1)",
        runs.map(({ id }) => id),
      ),
    ).toEqual([]);
  });

  it("as an input with a dead letter fails its run too: the dead letter is refused, and nobody else notices", async () => {
    const bed = await storeBed();
    const warnings: string[] = [];
    const cairn = await bed.open({ runloops: 1, onWarning: (message) => void warnings.push(message) });
    await cairn.register(echo);
    const options = JSON.stringify({ deadLetterType: "test.echo.v1" });
    const [row] = await bed.query<{ id: string }>(
      "SELECT cairn.start_run('test.echo.v1', $1::json, $2::jsonb) AS id",
      UNDECODABLE[0],
      options,
    );
    await expect(cairn.run(row!.id).result()).rejects.toMatchObject({ name: "InvalidInput" });
    expect(await (await cairn.start(echo, "fine")).result()).toBe("fine");
    expect(await bed.query("SELECT FROM cairn.run_events WHERE kind = 'dead letter refused'")).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it("as a signal by SQL is not for the body: it becomes an undelivered event, and the run goes on", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const run = await cairn.start(approved);
    for (const value of UNDECODABLE)
      await bed.query("SELECT cairn.signal_run($1, 'approval', $2::json)", run.id, value);
    await run.signal("approval", "a");
    await run.signal("approval", "b");
    expect(await run.result()).toEqual(["a", "b"]);
    const events = await bed.query<{ data: { name: string; value: unknown; reason: string } }>(
      "SELECT data FROM cairn.run_events WHERE kind = 'undelivered' ORDER BY id",
    );
    expect(events.map(({ data }) => JSON.stringify(data.value))).toEqual(UNDECODABLE);
    expect(events[0]?.data).toMatchObject({
      kind: "signal",
      name: "approval",
      reason: expect.stringContaining("$date holds whole milliseconds"),
    });
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });
});
