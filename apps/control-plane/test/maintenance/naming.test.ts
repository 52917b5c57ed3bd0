import { expect, it } from "vitest";
import { BEFORE_ALL_RUNS, forgetNames, nameInPart, nameInRuns, nameInWaiting } from "../../src/store/named-blobs.ts";
import { listWeeks } from "../../src/store/weeks.ts";
import { makeManyRuns, makePastPartitions } from "../support/many-runs.ts";
import { storeBed } from "../support/test-store.ts";

/** The digest of a blob that a run names in a column. */
const DIGEST = (column: string, id: string): string => `encode(sha256(('${column}' || ${id})::bytea), 'hex')`;

function reference(column: string, id: string): string {
  return `('{"$blob":"' || ${DIGEST(column, id)} || '","bytes":300000}')::json`;
}

const NAMING: Readonly<Record<string, string>> = {
  payload: `UPDATE cairn.runs SET payload = ${reference("payload", "id")}`,
  result: `UPDATE cairn.runs SET result = ${reference("result", "id")}`,
  letter: `INSERT INTO cairn.mailbox (run_id, kind, name, value, sent_at)
    SELECT id, 'signal', 'news', ${reference("letter", "id")}, cairn.now() FROM cairn.runs`,
  details: `INSERT INTO cairn.heartbeat_details (run_id, call, attempt, details, told_at)
    SELECT id, '2.0', 1, ${reference("details", "id")}, cairn.now() FROM cairn.runs`,
  input: `UPDATE cairn.history SET value = ${reference("input", "run_id")} WHERE number = 2`,
  bytes: `UPDATE cairn.snapshots SET bytes = NULL, blob_bytes = 300000, blob = decode(${DIGEST("bytes", "run_id")}, 'hex')`,
  open: `UPDATE cairn.snapshots SET open = ${reference("open", "run_id")}`,
  error: `INSERT INTO cairn.failed_attempts (run_id, call, attempt, node, action, started_at, ended_at, outcome, error)
    SELECT id, '9.0', 1, 'n', 'a', cairn.now(), cairn.now(), 'failed', ${reference("error", "id")} FROM cairn.runs`,
  event: `UPDATE cairn.run_events SET data = ('{"letters":[' || ${reference("event", "run_id")} || ']}')::json WHERE kind = 'started'`,
};

it("finds what runs of all weeks name, in whatever column, however small the pages are", async () => {
  const bed = await storeBed();
  const { client } = bed;
  await makePastPartitions(bed, 4);
  await makeManyRuns(bed, { count: 12, weeks: 3, type: "old.v1" });
  for (const statement of Object.values(NAMING)) await bed.query(statement);
  await forgetNames(client);
  await nameInWaiting(client);
  for (let after: string | null = BEFORE_ALL_RUNS; after !== null;) after = await nameInRuns(client, after, 5);
  for (const week of await listWeeks(client)) {
    for (const table of week.tables) {
      for (let after: string | null = week.after; after !== null;) {
        after = await nameInPart(client, table, week, { after, limit: 3 });
      }
    }
  }
  for (const column of Object.keys(NAMING)) {
    const named = await bed.query(
      `SELECT FROM cairn.runs AS r JOIN cairn.named_blobs AS n ON n.digest = decode(${DIGEST(column, "r.id")}, 'hex')`,
    );
    expect(named.length, column).toBe(12);
  }
  expect(await bed.query("SELECT FROM cairn.named_blobs")).toHaveLength(12 * Object.keys(NAMING).length);
});
