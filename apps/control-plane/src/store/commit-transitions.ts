import { FENCE, FENCED, OwnershipLost } from "./fence.ts";
import { FIRST_FORMAT } from "./format.ts";
import { columns, type Queryable, type Statement, statement } from "./statement.ts";
import type { NewHistory, Transition, TransitionRows } from "./transition.ts";

type Rows = TransitionRows;

/** One kind of rows in the commit: their columns as arrays, and the CTEs that write them. */
interface Section<K extends keyof Rows = keyof Rows, Name extends string = string> {
  readonly rows: K;
  /** Names in the rows, and the types of the arrays. */
  readonly columns: readonly (readonly [Name, string])[];
  /** The source is fenced: `fence, unnest(…) AS r (columns)`. */
  readonly sql: (source: string) => string;
}

/** Checks the columns of a section against its rows. */
function section<K extends keyof Rows>(made: Section<K, keyof Rows[K][number] & string>): Section {
  return made;
}

const ms = (column: string): string => `to_timestamp(r."${column}" / 1000)`;

const HISTORY = [
  ["runId", "uuid"],
  ["number", "int"],
  ["kind", "text"],
  ["call", "text"],
  ["node", "text"],
  ["name", "text"],
  ["value", "text"],
  ["at", "float8"],
  ["digest", "text"],
  ["attempt", "int"],
  ["action", "text"],
  ["worker", "text"],
  ["startedAt", "float8"],
] as const;

/** `r` gives the expression of a column. */
function insertHistory(r: (name: (typeof HISTORY)[number][0]) => string): string {
  return `INSERT INTO cairn.history
    (run_id, number, kind, call, node, name, value, at, digest, attempt, action, worker, started_at)
  SELECT ${r("runId")}, ${r("number")}, ${r("kind")}, ${r("call")}, ${r("node")}, ${r("name")}, ${r("value")}::json,
    to_timestamp(${r("at")} / 1000), decode(${r("digest")}, 'hex'), ${r("attempt")}, ${r("action")}, ${r("worker")},
    to_timestamp(${r("startedAt")} / 1000)`;
}

const SECTIONS: readonly Section[] = [
  section({
    rows: "history",
    columns: HISTORY,
    sql: (source) => `history_written AS (${insertHistory((name) => `r."${name}"`)} FROM ${source})`,
  }),
  section({
    rows: "snapshots",
    columns: [
      ["runId", "uuid"],
      ["number", "int"],
      ["base", "int"],
      ["bytes", "text"],
      ["blob", "text"],
      ["blobBytes", "int"],
      ["open", "text"],
    ],
    sql: (source) => `snapshots_written AS (
      INSERT INTO cairn.snapshots (run_id, number, base, bytes, blob, blob_bytes, open)
      SELECT r."runId", r.number, r.base, decode(r.bytes, 'hex'), decode(r.blob, 'hex'), r."blobBytes", r.open::json FROM ${source})`,
  }),
  section({
    rows: "attempts",
    columns: [
      ["runId", "uuid"],
      ["call", "text"],
      ["attempt", "int"],
      ["node", "text"],
      ["action", "text"],
      ["worker", "text"],
      ["startedAt", "float8"],
      ["endedAt", "float8"],
      ["outcome", "text"],
      ["error", "text"],
      ["retryAt", "float8"],
    ],
    sql: (source) => `attempts_written AS (
      INSERT INTO cairn.failed_attempts (run_id, call, attempt, node, action, worker, started_at, ended_at, outcome, error,
        retry_at)
      SELECT r."runId", r.call, r.attempt, r.node, r.action, r.worker, ${ms("startedAt")}, ${ms("endedAt")}, r.outcome,
        r.error::json, ${ms("retryAt")} FROM ${source})`,
  }),
  section({
    rows: "parked",
    columns: [
      ["runId", "uuid"],
      ["wakeAt", "float8"],
      ["phase", "text"],
      ["waitingFor", "text"],
      ["attempt", "int"],
      ["lastError", "text"],
      ["pastDeadline", "bool"],
      ["callsOut", "bool"],
    ],
    sql: (source) => `parked_written AS (
      UPDATE cairn.queue AS q
      SET state = 'parked', owner = NULL, wake_at = ${ms("wakeAt")}, phase = r.phase, waiting_for = r."waitingFor",
        attempt = r.attempt, last_error = r."lastError", past_deadline = r."pastDeadline", crashes = 0,
        calls_out = r."callsOut", paused = r.phase = 'paused'
      FROM ${source} WHERE q.run_id = r."runId")`,
  }),
  section({
    rows: "marks",
    columns: [
      ["runId", "uuid"],
      ["phase", "text"],
      ["waitingFor", "text"],
      ["attempt", "int"],
      ["lastError", "text"],
      ["pastDeadline", "bool"],
    ],
    sql: (source) => `marks_written AS (
      UPDATE cairn.queue AS q
      SET phase = r.phase, waiting_for = r."waitingFor", attempt = r.attempt, last_error = r."lastError",
        past_deadline = r."pastDeadline", paused = false, crashes = 0
      FROM ${source} WHERE q.run_id = r."runId")`,
  }),
  section({
    rows: "ended",
    columns: [
      ["runId", "uuid"],
      ["status", "text"],
      ["result", "text"],
      ["error", "text"],
      ["trace", "text"],
      ["lastError", "text"],
      ["attempt", "int"],
      ["startedAt", "float8"],
      ["endedAt", "float8"],
      ["deleteReason", "text"],
      ["afterInput", "int"],
    ],
    sql: (source) => `leaving AS MATERIALIZED (SELECT r.*, fence.written_format FROM ${source}),
    left_queue AS (DELETE FROM cairn.queue AS q USING leaving AS r WHERE q.run_id = r."runId"),
    ended_written AS (
      UPDATE cairn.runs AS run
      SET status = r.status, result = r.result::json, error = r.error::json, trace = r.trace::json,
        last_error = r."lastError", attempt = r.attempt, started_at = ${ms("startedAt")}, ended_at = ${ms("endedAt")},
        format = r.written_format, former_status = NULL, former_end = NULL
      FROM leaving AS r WHERE run.id = r."runId" AND r.status IS NOT NULL),
    deleted_written AS (
      UPDATE cairn.runs AS run
      SET deleted_at = ${ms("endedAt")}, delete_reason = r."deleteReason", deleted_with = run.parent
      FROM leaving AS r WHERE run.id = r."runId" AND r.status IS NULL AND run.deleted_at IS NULL
      RETURNING run.id, run.delete_reason, run.deleted_at, r."afterInput"),
    deletions AS (
      INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
      SELECT id, 'deleted', to_json(delete_reason), deleted_at, coalesce("afterInput", cairn.last_input(id)) FROM deleted_written)`,
  }),
  section({
    rows: "left",
    columns: [
      ["runId", "uuid"],
      ["phase", "text"],
      ["attempt", "int"],
      ["lastError", "text"],
      ["pastDeadline", "bool"],
      ["callsOut", "bool"],
    ],
    sql: (source) => `left_kept AS (
      INSERT INTO cairn.deleted_queue (run_id, pool, priority, ready_at, crashes, format, phase, attempt, last_error,
        started_at, calls_out, past_deadline, schedule)
      SELECT q.run_id, q.pool, q.priority, q.ready_at, 0, q.format, r.phase, r.attempt, r."lastError", q.started_at,
        r."callsOut", r."pastDeadline", q.schedule
      FROM ${source} JOIN cairn.queue AS q ON q.run_id = r."runId")`,
  }),
  section({
    rows: "readMail",
    columns: [
      ["runId", "uuid"],
      ["id", "int8"],
    ],
    sql: (source) => `mail_read AS (
      DELETE FROM cairn.mailbox AS m USING ${source}
      WHERE m.run_id = r."runId" AND m.id = r.id)`,
  }),
  section({
    rows: "mail",
    columns: [
      ["runId", "uuid"],
      ["kind", "text"],
      ["call", "text"],
      ["name", "text"],
      ["sender", "uuid"],
      ["value", "text"],
    ],
    sql: (source) => `mail_sent AS (
      INSERT INTO cairn.mailbox (run_id, kind, call, name, sender, value, sent_at)
      SELECT r."runId", r.kind, r.call, r.name, r.sender, r.value::json, cairn.now() FROM ${source})`,
  }),
  section({
    rows: "turned",
    columns: [
      ["runId", "uuid"],
      ["dropsDeadline", "bool"],
    ],
    sql: (source) => `turned_written AS (
      UPDATE cairn.runs AS run SET former_status = NULL, former_end = NULL, result = NULL, error = NULL, trace = NULL,
        last_error = NULL, deadline = CASE WHEN r."dropsDeadline" THEN NULL ELSE run.deadline END
      FROM ${source} WHERE run.id = r."runId")`,
  }),
  section({
    rows: "putBack",
    columns: [["runId", "uuid"]],
    sql: (source) => `back AS MATERIALIZED (SELECT r.* FROM ${source}),
    back_left AS (DELETE FROM cairn.queue AS q USING back AS r WHERE q.run_id = r."runId"),
    back_written AS (
      UPDATE cairn.runs AS run
      SET status = run.former_status, ended_at = run.former_end, former_status = NULL, former_end = NULL
      FROM back AS r WHERE run.id = r."runId")`,
  }),
  section({
    rows: "children",
    columns: [
      ["id", "uuid"],
      ["namespace", "text"],
      ["type", "text"],
      ["version", "text"],
      ["pool", "text"],
      ["priority", "int"],
      ["payload", "text"],
      ["maxAttempts", "int"],
      ["tags", "text"],
      ["deadline", "float8"],
      ["parent", "uuid"],
      ["parentCall", "text"],
      ["effects", "text"],
      ["traceparent", "text"],
      ["held", "bool"],
    ],
    sql: (
      source,
    ) => `born AS MATERIALIZED (SELECT r.*, fence.id AS owner, fence.address, fence.written_format, fence.moment FROM ${source}),
    children_written AS (
      INSERT INTO cairn.runs (id, namespace, type, version, priority, payload, checked, max_attempts, run_at, tags,
        deadline, parent, parent_call, effects, traceparent, created_at)
      SELECT r.id, r.namespace, r.type, r.version, r.priority, r.payload::json, true, r."maxAttempts", r.moment,
        r.tags::text[], ${ms("deadline")}, r.parent, r."parentCall", r.effects::json, r.traceparent, r.moment FROM born AS r),
    children_queued AS (
      INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, owner, phase, started_at, calls_out, format)
      SELECT r.id, r.pool, r.priority, CASE WHEN r.held THEN 'held' ELSE 'ready' END, r.moment,
        CASE WHEN r.held THEN r.owner END, CASE WHEN r.held THEN 'running' ELSE 'ready' END,
        CASE WHEN r.held THEN r.moment END, r.held, CASE WHEN r.held THEN r.written_format ELSE ${FIRST_FORMAT} END
      FROM born AS r),
    births AS (
      INSERT INTO cairn.run_events (run_id, kind, data, at)
      SELECT r.id, 'created', CASE WHEN r.held THEN json_build_object('leasedBy', r.address) END, r.moment FROM born AS r)`,
  }),
  section({
    rows: "events",
    columns: [
      ["runId", "uuid"],
      ["kind", "text"],
      ["data", "text"],
      ["at", "float8"],
      ["afterInput", "int"],
    ],
    sql: (source) => `events_written AS (
      INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
      SELECT r."runId", r.kind, r.data::json, ${ms("at")}, coalesce(r."afterInput", cairn.last_input(r."runId")) FROM ${source})`,
  }),
  section({
    rows: "outbox",
    columns: [
      ["namespace", "text"],
      ["runId", "uuid"],
      ["type", "text"],
      ["data", "text"],
      ["traceparent", "text"],
      ["at", "float8"],
    ],
    sql: (source) => `outbox_written AS (
      INSERT INTO cairn.outbox_events (namespace, run_id, type, data, traceparent, created_at)
      SELECT r.namespace, r."runId", r.type, r.data::json, r.traceparent, ${ms("at")} FROM ${source})`,
  }),
  section({
    rows: "limited",
    columns: [
      ["runId", "uuid"],
      ["call", "text"],
      ["attempt", "int"],
      ["namespace", "text"],
      ["action", "text"],
      ["key", "text"],
      ["rateKey", "text"],
      ["priority", "int"],
    ],
    sql: (source) => `limited_written AS (
      INSERT INTO cairn.limited_calls (run_id, call, attempt, namespace, action, key, rate_key, priority)
      SELECT r."runId", r.call, r.attempt, r.namespace, r.action, r.key, r."rateKey", r.priority FROM ${source}
      ON CONFLICT (run_id, call) DO UPDATE SET attempt = excluded.attempt, key = excluded.key, rate_key = excluded.rate_key,
        priority = excluded.priority, id = excluded.id, granted_at = NULL, told = false)`,
  }),
  section({
    rows: "released",
    columns: [
      ["runId", "uuid"],
      ["call", "text"],
    ],
    sql: (source) => `limited_released AS (
      DELETE FROM cairn.limited_calls AS w USING ${source}
      WHERE w.run_id = r."runId" AND (r.call IS NULL OR w.call = r.call))`,
  }),
];

/** Statements by which sections they have: most commits need three or four, and an empty one costs planning and starting. */
const statements = new Map<number, Statement>();

function statementOf(mask: number): Statement {
  let found = statements.get(mask);
  if (found === undefined) {
    let parameter = 1;
    const parts = SECTIONS.filter((_, index) => (mask & (1 << index)) !== 0).map(({ columns: named, sql }) => {
      const arrays = named.map(([, type]) => `$${++parameter}::${type}[]`).join(", ");
      return sql(`fence, unnest(${arrays}) AS r (${named.map(([name]) => `"${name}"`).join(", ")})`);
    });
    const text = `WITH ${[FENCE, ...parts].join(",\n")}\nSELECT fence.moment FROM fence`;
    found = { name: `cairn_commit_${mask}`, text };
    statements.set(mask, found);
  }
  return found;
}

/**
 * One input of one run and nothing else: a step of a run that is alone, which waits for nothing but this. Without arrays,
 * CTEs and an answer to be read it takes 0.09 ms less, where a plain insert takes 0.35.
 */
const ONE_INPUT = statement(
  "commit_input",
  `${insertHistory((name) => {
    const index = HISTORY.findIndex(([column]) => column === name);
    return `$${index + 2}::${HISTORY[index]![1]}`;
  })} FROM ${FENCED}`,
);

export function rowsOf(transition: Transition): number {
  return SECTIONS.reduce((sum, { rows }) => sum + (transition.peek(rows)?.length ?? 0), 0);
}

function onlyInput(transition: Transition): NewHistory | null {
  const input = transition.peek("history")?.[0];
  return input !== undefined && rowsOf(transition) === 1 ? input : null;
}

interface Filled extends Statement {
  readonly values: unknown[];
}

function oneInput(owner: string, input: NewHistory): Filled {
  return { ...ONE_INPUT, values: [owner, ...HISTORY.map(([name]) => input[name])] };
}

function together(owner: string, transitions: readonly Transition[]): Filled {
  const values: unknown[] = [owner];
  let mask = 0;
  SECTIONS.forEach(({ rows, columns: named }, index) => {
    const all: Record<string, unknown>[] = [];
    for (const transition of transitions) for (const row of transition.peek(rows) ?? []) all.push(row as never);
    if (all.length === 0) return;
    mask |= 1 << index;
    values.push(
      ...columns(
        all,
        named.map(([name]) => name),
      ),
    );
  });
  return { ...statementOf(mask), values };
}

/**
 * Commits what runs have done, in one statement, for the owner of all of them. It has succeeded when the fence's row
 * comes back, or the one input was written: a statement that was fenced out commits as well, and has written nothing.
 * Returns the database's time, where it is told.
 */
export async function commitTransitions(
  client: Queryable,
  owner: string,
  transitions: readonly Transition[],
): Promise<number | null> {
  const alone = transitions.length === 1 ? onlyInput(transitions[0]!) : null;
  const { name, text, values } = alone === null ? together(owner, transitions) : oneInput(owner, alone);
  const { rows, rowCount } = await client.query<{ moment: number }>({ name, text, values });
  if (rowCount !== 1) throw new OwnershipLost(`The owner ${owner} has lost its runs`);
  return rows[0]?.moment ?? null;
}
