import { newRunId } from "../../src/ids.ts";
import { type TestBed, until } from "./test-engine.ts";

/** Tests do not wait. */
export const QUICK = { backoffMs: 10, backoffMaxMs: 50 };

/** Nothing is left to be done. */
export async function untilPublished(bed: TestBed): Promise<void> {
  await until(async () => {
    const [row] = await bed.query<{ left: number }>(
      "SELECT count(*)::int AS left FROM cairn.outbox_events WHERE published_at IS NULL",
    );
    return row!.left === 0;
  });
}

/** Writes events of one run, in one transaction, as a runloop would. */
export async function writeEvents(
  bed: TestBed,
  runId: string,
  numbers: readonly number[],
  namespace = "default",
): Promise<void> {
  await bed.query(
    `INSERT INTO cairn.outbox_events (namespace, run_id, type, data, created_at)
    SELECT $1, $2, 'order.paid.v1', json_build_object('number', n, 'poison', false), cairn.now()
    FROM unnest($3::int[]) WITH ORDINALITY AS u (n, ordinal) ORDER BY ordinal`,
    namespace,
    runId,
    numbers,
  );
  await bed.query("NOTIFY cairn_outbox");
}

export function someRunIds(count: number): string[] {
  return Array.from({ length: count }, () => newRunId(Date.now()));
}
