import { type Queryable, statement } from "./statement.ts";

/** In one statement; the others ask again by themselves. */
const WOKEN_MAX = 5_000;

const WAKE = statement(
  "wake_unserved",
  `WITH waiting AS (
    SELECT q.run_id FROM cairn.queue AS q
    WHERE q.state = 'parked' AND q.waiting_for LIKE 'a worker %'
      AND starts_with(q.pool, $1 || ':') AND q.waiting_for LIKE ANY ($2::text[])
    ORDER BY q.ready_at LIMIT ${WOKEN_MAX} FOR UPDATE SKIP LOCKED
  )
  UPDATE cairn.queue AS q SET state = 'ready', wake_at = NULL, phase = 'ready', waiting_for = NULL, ready_at = cairn.now()
  FROM waiting WHERE q.run_id = waiting.run_id`,
);

/**
 * Makes runs ready that were parked since no worker was there for names that begin with one of these segments, which one serves
 * now; an empty one is for all. Returns how many.
 */
export async function wakeUnserved(client: Queryable, namespace: string, segments: readonly string[]): Promise<number> {
  const patterns = segments.includes("")
    ? ["%"]
    : segments.flatMap((segment) => ["for", "that has"].flatMap((what) => patternsOf(`a worker ${what} ${segment}`)));
  const { rowCount } = await client.query({ name: WAKE.name, text: WAKE.text, values: [namespace, patterns] });
  return rowCount ?? 0;
}

/** A workflow whose steps a worker has ends with a slash. */
function patternsOf(text: string): string[] {
  const escaped = text.replaceAll(/[\\%_]/g, (each) => `\\${each}`);
  return escaped.endsWith("/") ? [`${escaped}%`] : [escaped, `${escaped}.%`];
}
