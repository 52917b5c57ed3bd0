import type pg from "pg";
import { HISTORY_COLUMNS, type HistoryRow } from "./load-runs.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** An input that took a run back to its state after another. */
export interface Turn {
  readonly number: number;
  readonly to: number;
}

const ROLLBACKS = statement(
  "load_rollbacks",
  `SELECT number, (value->>'to')::int AS to FROM cairn.history WHERE run_id = $1 AND kind = 'rollback' ORDER BY number`,
);

/** In the order they were made. */
export function loadRollbacks(client: Queryable, runId: string): Promise<Turn[]> {
  return ask<Turn & pg.QueryResultRow>(client, ROLLBACKS, [runId]);
}

const SIGNALS = statement(
  "load_signals",
  `SELECT ${HISTORY_COLUMNS} FROM cairn.history
  WHERE run_id = $1 AND number > $2 AND kind = 'signal' ORDER BY number`,
);

/** Signals that a run has taken after an input, in their order. */
export function loadSignals(client: Queryable, runId: string, after: number): Promise<HistoryRow[]> {
  return ask<HistoryRow & pg.QueryResultRow>(client, SIGNALS, [runId, after]);
}

const LAST_TRIES = statement(
  "load_last_tries",
  `SELECT DISTINCT ON (call) call,
    attempt + CASE WHEN outcome = 'succeeded' OR (outcome = 'failed' AND retry_at IS NULL) THEN 0 ELSE 1 END AS attempt
  FROM cairn.step_attempts WHERE run_id = $1 ORDER BY call, attempt DESC`,
);

/** The number of the last try of each call that may have been made; calls whose first has not ended are not among them. */
export async function loadLastTries(client: Queryable, runId: string): Promise<Map<string, number>> {
  const rows = await ask<{ call: string; attempt: number }>(client, LAST_TRIES, [runId]);
  return new Map(rows.map(({ call, attempt }) => [call, attempt]));
}

const STARTS = statement(
  "load_starts",
  "SELECT number FROM cairn.history WHERE run_id = $1 AND number > $2 AND kind = 'start' ORDER BY number",
);

/** Inputs after one with which the run began again. */
export async function loadStarts(client: Queryable, runId: string, after: number): Promise<number[]> {
  return (await ask<{ number: number }>(client, STARTS, [runId, after])).map(({ number }) => number);
}

const ANSWERS = statement(
  "load_answers",
  `SELECT ${HISTORY_COLUMNS} FROM cairn.history
  WHERE run_id = $1 AND number > $2 AND kind IN ('result', 'error') AND call = ANY ($3) ORDER BY number`,
);

/** What these calls and children were answered with after an input, in that order. */
export function loadAnswers(
  client: Queryable,
  runId: string,
  after: number,
  calls: readonly string[],
): Promise<HistoryRow[]> {
  return ask<HistoryRow & pg.QueryResultRow>(client, ANSWERS, [runId, after, calls]);
}

const NEWEST = statement(
  "newest_input",
  "SELECT coalesce(max(number), 0) AS number FROM cairn.history WHERE run_id = $1",
);

/** How many inputs a run has taken. */
export async function newestNumber(client: Queryable, runId: string): Promise<number> {
  return (await ask<{ number: number }>(client, NEWEST, [runId]))[0]!.number;
}

const TURNS = statement(
  "load_turns",
  `SELECT s.open FROM cairn.history AS h JOIN cairn.snapshots AS s ON s.run_id = h.run_id AND s.number = h.number
  WHERE h.run_id = $1 AND h.kind = 'rollback' ORDER BY h.number`,
);

/** What was open after each rollback of a run, as it is stored. */
export async function loadTurns(client: Queryable, runId: string): Promise<string[]> {
  return (await ask<{ open: string }>(client, TURNS, [runId])).map(({ open }) => open);
}
