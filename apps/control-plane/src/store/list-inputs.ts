import type pg from "pg";
import type { HistoryKind, HistoryRow } from "./load-runs.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** An input of a run, without what it says. */
export interface InputRow extends Pick<HistoryRow, "number" | "kind" | "call" | "node" | "name" | "at"> {
  /** Of the result or the error of an action: whose it is, and when the try began that it came from. */
  readonly action: string | null;
  readonly startedAt: number | null;
}

/** Which way, and what of. */
export interface InputsLook {
  /** Behind this number; null: from the beginning. */
  readonly after: number | null;
  readonly newestFirst: boolean;
  readonly kind: HistoryKind | null;
  readonly limit: number;
}

export interface FoundInputs {
  readonly rows: readonly InputRow[];
  /** Behind which number to go on; null: there are no others. */
  readonly next: number | null;
}

/** Inputs that are gone through for one answer at most. An index by kind would be one more for each step to write. */
const LOOKED_MAX = 10_000;

/** Who has failed is among the tries that came to nothing, the last of them: of an error the history has only what it says. */
export const INPUT_COLUMNS = `h.number, h.kind, h.call, h.node, h.name, h.at, coalesce(h.action, f.action) AS action,
    coalesce(h.started_at, f.started_at) AS "startedAt"`;
export const INPUT_FAILED = `LEFT JOIN LATERAL (SELECT t.action, t.started_at FROM cairn.failed_attempts AS t
    WHERE h.kind = 'error' AND t.run_id = h.run_id AND t.call = h.call ORDER BY t.attempt DESC LIMIT 1) AS f ON true`;

const ALL = statement(
  "load_inputs",
  `SELECT ${INPUT_COLUMNS} FROM cairn.history AS h ${INPUT_FAILED} WHERE h.run_id = $1 ORDER BY h.number`,
);

/** All inputs of a run, in their order. */
export function loadInputs(client: Queryable, runId: string): Promise<InputRow[]> {
  return ask<InputRow & pg.QueryResultRow>(client, ALL, [runId]);
}

/** The last row is the edge of what was looked at, if there may be others behind it. */
const inputs = (name: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `WITH looked AS MATERIALIZED (
      SELECT run_id, number, kind, call, node, name, at, action, started_at FROM cairn.history
      WHERE run_id = $1 AND number ${behind} $2 ORDER BY number ${direction} LIMIT $3),
    chosen AS (
      (SELECT *, false AS is_edge FROM looked WHERE $4::text IS NULL OR kind = $4 ORDER BY number ${direction} LIMIT $5)
      UNION ALL (SELECT *, true FROM looked ORDER BY number ${direction} OFFSET $3 - 1))
    SELECT ${INPUT_COLUMNS}, h.is_edge AS "isEdge" FROM chosen AS h ${INPUT_FAILED} ORDER BY h.number ${direction}, h.is_edge`,
  );
const OLDEST_FIRST = inputs("list_inputs", ">", "ASC");
const NEWEST_FIRST = inputs("list_inputs_backwards", "<", "DESC");
const NUMBER_END = 2 ** 31 - 1;

/** By the numbers of a run, from one on. A look is bounded, so it may find few although there are others. */
export async function listInputs(client: Queryable, runId: string, look: InputsLook): Promise<FoundInputs> {
  const { newestFirst, kind, limit } = look;
  const after = look.after ?? (newestFirst ? NUMBER_END : 0);
  const values = [runId, Math.min(after, NUMBER_END), kind === null ? limit + 1 : LOOKED_MAX, kind, limit + 1];
  const statement = newestFirst ? NEWEST_FIRST : OLDEST_FIRST;
  const all = await ask<InputRow & { isEdge: boolean } & pg.QueryResultRow>(client, statement, values);
  const found = all.filter(({ isEdge }) => !isEdge).map(({ isEdge: _isEdge, ...row }) => row);
  const rows = found.slice(0, limit);
  const edge = all.find(({ isEdge }) => isEdge)?.number ?? null;
  return { rows, next: found.length > limit ? rows.at(-1)!.number : edge };
}
