import { ask, columns, type Queryable, statement } from "./statement.ts";

export interface OutcomeLetter {
  readonly runId: string;
  readonly call: string;
  /** The outcome, as it is stored. */
  readonly value: string;
}

const SEND = statement(
  "send_outcomes",
  `WITH letters AS (
    SELECT * FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS r (run_id, call, value, ordinal)
  ), sent AS (
    INSERT INTO cairn.mailbox (run_id, kind, call, value, sent_at)
    SELECT r.run_id, 'outcome', r.call, r.value::json, cairn.now() FROM letters AS r
    WHERE EXISTS (SELECT FROM cairn.queue AS q WHERE q.run_id = r.run_id)
      AND EXISTS (SELECT FROM cairn.runs AS run WHERE run.id = r.run_id AND run.namespace = $1)
    ORDER BY r.ordinal RETURNING run_id
  ) SELECT DISTINCT run_id AS id FROM sent`,
);

/** Puts outcomes that came from outside into the mail of their runs. Returns those that live, in this namespace. */
export async function sendOutcomes(
  client: Queryable,
  namespace: string,
  letters: readonly OutcomeLetter[],
): Promise<Set<string>> {
  const values = [namespace, ...columns(letters, ["runId", "call", "value"])];
  return new Set((await ask<{ id: string }>(client, SEND, values)).map(({ id }) => id));
}
