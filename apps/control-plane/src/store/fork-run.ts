import { CREATED } from "./start-runs.ts";
import { ask, type Queryable, statement } from "./statement.ts";

/** What a run may have of effects: actions, children, and events that it emits. */
export interface EffectsPolicy {
  /** Their names: others are refused. */
  readonly allow: readonly string[];
}

export interface NewFork {
  readonly id: string;
  readonly from: string;
  /** Of the input after which the original had the state. */
  readonly number: number;
  /** Null: everything. */
  readonly effects: EffectsPolicy | null;
  readonly priority: number | null;
  readonly tags: readonly string[];
  readonly deadline: number | null;
  /** The span of whoever forks it; null: nobody traces it. */
  readonly traceparent: string | null;
  /** What the letter says with which it begins. */
  readonly order: string;
}

const FORK = statement(
  "fork_run",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment), forked AS (
    INSERT INTO cairn.runs (id, namespace, type, version, priority, payload, checked, max_attempts, run_at, tags, deadline,
      forked_from, forked_number, effects, traceparent, created_at)
    SELECT $1, r.namespace, r.type, r.version, coalesce($2, r.priority), r.payload, true, r.max_attempts, moment,
      r.tags || $3::text[], to_timestamp($4::float8 / 1000), r.id, $6, $7::text::json, $9, moment
    FROM cairn.runs AS r, clock WHERE r.id = $5 AND r.deleted_at IS NULL FOR KEY SHARE OF r
    ON CONFLICT (id) DO NOTHING
    RETURNING id, namespace, type, version, priority, forked_from, traceparent
  ), queued AS (
    INSERT INTO cairn.queue (run_id, pool, priority, state, ready_at, phase, format)
    SELECT f.id, cairn.pool_of(f.namespace, f.type, w.kind, w.lease_ms), f.priority, 'ready', moment, 'ready',
      coalesce((SELECT q.format FROM cairn.queue AS q WHERE q.run_id = f.forked_from),
        (SELECT r.format FROM cairn.runs AS r WHERE r.id = f.forked_from), 1)
    FROM clock, forked AS f JOIN cairn.workflow_versions AS w
      ON w.namespace = f.namespace AND w.name = f.type AND w.version = f.version
  ), letter AS (
    INSERT INTO cairn.mailbox (run_id, kind, value, sent_at) SELECT id, 'fork', $8::text::json, moment FROM clock, forked
  ), events AS (
    INSERT INTO cairn.run_events (run_id, kind, data, at, after_input)
    SELECT f.id, 'created', json_build_object('from', $5::uuid, 'number', $6::int), moment, 0 FROM clock, forked AS f
    UNION ALL SELECT $5, 'forked', json_build_object('fork', f.id, 'number', $6::int), moment, cairn.last_input($5)
    FROM clock, forked AS f
  ), told AS (
    INSERT INTO cairn.outbox_events (namespace, run_id, type, data, traceparent, created_at)
    SELECT f.namespace, f.id, '${CREATED}', json_build_object('type', f.type, 'version', f.version, 'attempt', 1, 'lastError', NULL),
      cairn.run_span(f.traceparent, f.id), moment
    FROM clock, forked AS f WHERE cairn.is_wanted(f.namespace, '${CREATED}')
  ) SELECT id FROM forked`,
);

/** A run that begins with the state of another. False if there is a run with its id, or the other one was deleted. */
export async function forkRun(client: Queryable, fork: NewFork): Promise<boolean> {
  const { id, priority, tags, deadline, from, number, effects, order, traceparent } = fork;
  const allowed = effects === null ? null : JSON.stringify(effects);
  return (
    (await ask(client, FORK, [id, priority, tags, deadline, from, number, allowed, order, traceparent])).length > 0
  );
}
