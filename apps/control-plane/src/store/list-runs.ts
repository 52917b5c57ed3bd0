import type { RunStatusName } from "@cairnjs/schemas";
import type pg from "pg";
import { RUN_SUMMARY, type RunSummaryView } from "./find-runs.ts";
import {
  aliveOf,
  contentConditions,
  endedOf,
  idRange,
  Parameters,
  plainConditions,
  type RunFilter,
  splitPatterns,
  isOfType,
} from "./run-filter.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** Where a list goes on, and which way. */
export interface RunsLook {
  /** Behind this run; null: from the beginning. */
  readonly after: string | null;
  readonly oldestFirst: boolean;
  readonly limit: number;
}

export interface FoundIds {
  readonly ids: readonly string[];
  /** Behind which run to go on; null: there are no others. */
  readonly next: string | null;
}

/**
 * Runs that are gone through for one answer at most, whether they are wanted or not: some first, and more if too few of them are. If
 * their values are looked into, fewer, and values of so many bytes in one look, as they are stored.
 */
const LOOKED = [500, 2_000, 7_500];
const READ = [200, 800, 1_000];
const READ_BYTES_MAX = 8 * 1024 * 1024;
/** Of all types together in one look, so that no limit makes it dear; of each of them a few, so that a look gets somewhere. */
const OF_TYPES_MAX = 10_000;
const OF_A_TYPE_MIN = 5;
/** If an index has all that is asked for: beside those that are wanted, some that were deleted. */
const SPARE = 50;

/**
 * Looks for runs, the newest or the oldest first, and says where to go on: a look is bounded, so it may find few although there are
 * others. Statements have those conditions alone that are given, and are planned for their values. What is looked at comes from an
 * index: of those that live (`runs_that_live`) and of those that went wrong from indexes of their own, of all others by type, of each
 * the next ones. (One scan by id found a namespace that has few among many by reading all of them.)
 */
export async function findRunIds(
  client: Queryable,
  namespace: string,
  filter: RunFilter,
  look: RunsLook,
): Promise<FoundIds> {
  // None that has ended has a phase, and none that is deleted.
  if (filter.phases !== null && (filter.deleted || (filter.statuses !== null && aliveOf(filter.statuses).length === 0)))
    return { ids: [], next: null };
  const found: string[] = [];
  let next: string | null = look.after;
  for (const most of sizesOf(filter, look.limit)) {
    const limit = look.limit - found.length;
    const { ids, edge } = await lookOnce(client, namespace, filter, { ...look, after: next, limit }, most);
    found.push(...ids.slice(0, limit));
    next = ids.length > limit ? found.at(-1)! : edge;
    if (next === null || found.length === look.limit) break;
  }
  return { ids: found, next };
}

function sizesOf(filter: RunFilter, limit: number): readonly number[] {
  const { statuses, phases, tags, since, until, parent, schedule, contains, search, deleted, types } = filter;
  if (contains !== null || search !== null) return READ;
  const others = [phases, tags, since, until, parent, schedule].some((each) => each !== null) || deleted;
  const isByIndex = statuses === null || (types === null && aliveOf(statuses).length === 0 && isOfFew(filter));
  return !others && isByIndex ? [limit + SPARE, ...LOOKED] : LOOKED;
}

async function lookOnce(
  client: Queryable,
  namespace: string,
  filter: RunFilter,
  look: RunsLook,
  most: number,
): Promise<{ readonly ids: readonly string[]; readonly edge: string | null }> {
  const parameters = new Parameters();
  const text = lookStatement(namespace, filter, look, most, parameters);
  return (await ask<{ ids: string[]; edge: string | null }>(client, { text }, parameters.values))[0]!;
}

function lookStatement(
  namespace: string,
  filter: RunFilter,
  look: RunsLook,
  most: number,
  parameters: Parameters,
): string {
  const direction = look.oldestFirst ? "ASC" : "DESC";
  const limit = parameters.add(look.limit + 1);
  const plain = plainConditions(filter, namespace, parameters);
  const content = contentConditions(filter, parameters);
  const sources = sourcesOf(namespace, filter, look, most, parameters);
  const isLive = aliveOf(filter.statuses).length > 0 || filter.phases !== null;
  const edge = (rows: string, isEdge: string): string =>
    `(SELECT e.id FROM ${rows} AS e WHERE ${isEdge} ORDER BY e.id ${look.oldestFirst ? "ASC" : "DESC"} LIMIT 1)`;
  const before = look.oldestFirst ? "<=" : ">=";
  // The values of a run are where the view gets them from.
  return `WITH RECURSIVE ${sources.kinds}
  looked AS MATERIALIZED (${sources.texts.join(" UNION ALL ")}),
  plain AS MATERIALIZED (
    SELECT r.id FROM ${isLive ? "cairn.workflow_run" : "cairn.runs"} AS r
    WHERE r.id = ANY (ARRAY(SELECT l.id FROM looked AS l)) AND ${plain.join(" AND ")}
      AND coalesce(r.id ${before} ${edge("looked", "e.is_last")}, true)
  ),
  sized AS MATERIALIZED (${
    content.length === 0
      ? "SELECT p.id, false AS is_last FROM plain AS p"
      : `SELECT s.id, s.total > ${READ_BYTES_MAX} AS is_last FROM (
      SELECT r.id, sum(pg_column_size(r.payload) + coalesce(pg_column_size(r.result), 0) + coalesce(pg_column_size(r.error), 0))
        OVER (ORDER BY r.id ${direction}) AS total
      FROM cairn.runs AS r WHERE r.id = ANY (ARRAY(SELECT p.id FROM plain AS p))
    ) AS s`
  }),
  edges AS MATERIALIZED (SELECT coalesce(${edge("sized", "e.is_last")}, ${edge("looked", "e.is_last")}) AS id),
  found AS (
    SELECT r.id FROM cairn.runs AS r, edges
    WHERE r.id = ANY (ARRAY(SELECT s.id FROM sized AS s)) AND coalesce(r.id ${before} edges.id, true)
      ${content.map((each) => `AND ${each}`).join(" ")}
    ORDER BY r.id ${direction} LIMIT ${limit}
  )
  SELECT ARRAY(SELECT f.id FROM found AS f ORDER BY f.id ${direction}) AS ids, (SELECT e.id FROM edges AS e) AS edge`;
}

interface Sources {
  /** What comes before them in the statement. */
  readonly kinds: string;
  /** Ids, and whether there may be others behind one (`is_last`). */
  readonly texts: readonly string[];
}

const WRONG: readonly RunStatusName[] = ["failed", "cancelled"];

/** Those that live, or went wrong: they have indexes of their own. */
function isOfFew({ statuses, phases, deleted }: RunFilter): boolean {
  if (deleted) return false;
  return phases !== null || (statuses !== null && endedOf(statuses).every((status) => WRONG.includes(status)));
}

function sourcesOf(
  namespace: string,
  filter: RunFilter,
  look: RunsLook,
  most: number,
  parameters: Parameters,
): Sources {
  const { statuses, phases, parent } = filter;
  const direction = look.oldestFirst ? "ASC" : "DESC";
  const next = (table: string, column: string, conditions: readonly string[], size: string): string => {
    const behind =
      look.after === null ? [] : [`s.${column} ${look.oldestFirst ? ">" : "<"} ${parameters.add(look.after)}`];
    const all = [...conditions, ...behind, ...idRange(filter, `s.${column}`, parameters)];
    return `(SELECT s.${column} AS id, row_number() OVER (ORDER BY s.${column} ${direction}) = ${size} AS is_last
      FROM ${table} AS s WHERE ${all.length === 0 ? "true" : all.join(" AND ")} ORDER BY s.${column} ${direction} LIMIT ${size})`;
  };
  if (parent !== null)
    return { kinds: "", texts: [next("cairn.runs", "id", [`s.parent = ${parameters.add(parent)}`], String(most))] };
  const [alive, ended] = [aliveOf(statuses), endedOf(statuses)];
  const space = (): string => `s.namespace = ${parameters.add(namespace)}`;
  if (!isOfFew(filter)) return byType(filter, space(), most, look.limit, parameters, next);
  // As the indexes say it.
  const ofStatus = (status: string): string =>
    next("cairn.runs", "id", [space(), `s.status = '${status}'`, "s.deleted_at IS NULL"], String(most));
  const texts = alive.length > 0 || phases !== null ? [ofStatus("pending")] : [];
  if (phases === null) texts.push(...ended.map(ofStatus));
  return { kinds: "", texts };
}

/** Of each type the next ones: the fewer, the more types there are. */
function byType(
  { types }: RunFilter,
  space: string,
  most: number,
  limit: number,
  parameters: Parameters,
  next: (table: string, column: string, conditions: readonly string[], size: string) => string,
): Sources {
  const isExact = types !== null && splitPatterns(types)[1].length === 0;
  const all = `all_kinds (type) AS (
    (SELECT s.type FROM cairn.runs AS s WHERE ${space} ORDER BY s.namespace, s.type LIMIT 1)
    UNION ALL
    SELECT (SELECT s.type FROM cairn.runs AS s WHERE ${space} AND s.type > k.type ORDER BY s.namespace, s.type LIMIT 1)
    FROM all_kinds AS k WHERE k.type IS NOT NULL
  ),`;
  const chosen = isExact
    ? `SELECT DISTINCT t.type FROM unnest(${parameters.add(types)}::text[]) AS t (type)`
    : `SELECT k.type FROM all_kinds AS k WHERE k.type IS NOT NULL${types === null ? "" : ` AND ${isOfType("k.type", types, parameters)}`}`;
  const kinds = `${isExact ? "" : all} kinds AS MATERIALIZED (${chosen}),
  sizes AS MATERIALIZED (
    SELECT greatest(${OF_A_TYPE_MIN}, least(${parameters.add(limit + 1)}::int, ${OF_TYPES_MAX} / greatest(1, count(*))),
      ${most} / greatest(1, count(*)))::int AS size FROM kinds
  ),`;
  const each = next("cairn.runs", "id", [space, "s.type = k.type"], "(SELECT z.size FROM sizes AS z)");
  return { kinds, texts: [`SELECT x.id, x.is_last FROM kinds AS k CROSS JOIN LATERAL ${each} AS x`] };
}

const SUMMARIES = statement(
  "summaries_of_runs",
  `SELECT ${RUN_SUMMARY} FROM cairn.workflow_run WHERE id = ANY ($1::uuid[])`,
);

export interface FoundRuns {
  readonly runs: readonly RunSummaryView[];
  readonly next: string | null;
}

/** The same, with what lists say of them. */
export async function listRuns(
  client: Queryable,
  namespace: string,
  filter: RunFilter,
  look: RunsLook,
): Promise<FoundRuns> {
  const { ids, next } = await findRunIds(client, namespace, filter, look);
  return { runs: await summariesOf(client, ids), next };
}

/** What lists say of these, in their order. */
export async function summariesOf(client: Queryable, ids: readonly string[]): Promise<RunSummaryView[]> {
  if (ids.length === 0) return [];
  const rows = await ask<RunSummaryView & pg.QueryResultRow>(client, SUMMARIES, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  // One may have been removed since it was found.
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** So many, however many looks that takes. */
export async function firstRuns(
  client: Queryable,
  namespace: string,
  filter: RunFilter,
  limit: number,
): Promise<RunSummaryView[]> {
  const all: RunSummaryView[] = [];
  let after: string | null = null;
  do {
    const { runs, next }: FoundRuns = await listRuns(client, namespace, filter, {
      after,
      oldestFirst: false,
      limit: limit - all.length,
    });
    all.push(...runs);
    after = next;
  } while (after !== null && all.length < limit);
  return all;
}
