import pg from "pg";
import { expect, it } from "vitest";
import { cleanUp } from "../support/cleanups.ts";
import { type TestBed, until } from "../support/test-engine.ts";
import { openRest } from "../support/test-rest.ts";
import { type Heard, listen, tailsElsewhere } from "../support/test-tails.ts";
import { approved, sums } from "../workflows/basics.ts";

/** More than are looked at together. */
const HELD_UP = 520;

/** A transaction of a user that has started a run: what happens later is told when it has ended. */
async function beginStart(bed: TestBed): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: bed.url });
  await client.connect();
  cleanUp(() => client.end());
  await client.query("BEGIN");
  await client.query("SELECT cairn.start_run($1, $2)", [sums.name, '{"n":1}']);
  return client;
}

it("those who have to wait hold up nobody else, however many they are", async () => {
  const rest = await openRest();
  const { tails } = tailsElsewhere(rest.bed);
  const over = await rest.start(sums.name, { n: 1 });
  await rest.result(over);
  const heardOf = async (runId: string, type: string): Promise<Heard & { readonly ended: Promise<void> }> => {
    const heard = { runId, told: [] };
    return { ...heard, ended: listen(await tails.follow(runId, type, null), heard) };
  };
  await (
    await heardOf(over, sums.name)
  ).ended;
  const user = await beginStart(rest.bed);
  const later = await rest.start(approved.name);
  const taken = "SELECT FROM cairn.history WHERE run_id = $1";
  await until(async () => (await rest.bed.query(taken, later)).length > 0);
  const heldUp = await Promise.all(Array.from({ length: HELD_UP }, () => heardOf(later, approved.name)));
  const other = await heardOf(over, sums.name);
  await other.ended;
  expect(other.told.at(-1)).toMatchObject({ kind: "succeeded" });
  expect(heldUp.every(({ told }) => told.length === 0)).toBe(true);
  await user.query("COMMIT");
  await until(async () => heldUp.every(({ told }) => told.some(({ kind }) => kind === "step")));
});
