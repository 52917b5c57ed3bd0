import type { CallRates } from "../hub/call-times.ts";
import { ask, columns, type Queryable, statement } from "./statement.ts";

/** A process that workers connect to. */
export interface ControlPlaneRow {
  readonly id: string;
  readonly url: string | null;
}

const KEEP = statement(
  "keep_control_plane",
  `WITH gone AS (DELETE FROM cairn.control_planes WHERE expires_at < cairn.now() AND id <> $1 RETURNING id),
  theirs AS (DELETE FROM cairn.worker_status WHERE pool IN (SELECT id FROM gone))
  INSERT INTO cairn.control_planes (id, url, started_at, expires_at)
  SELECT $1, $2, moment, moment + $3::int * interval '1 ms' FROM cairn.now() AS moment
  ON CONFLICT (id) DO UPDATE SET url = excluded.url, expires_at = excluded.expires_at RETURNING xmax = 0 AS "isNew"`,
);

/**
 * It lives for so long from now on. Those that are gone leave, with what is known of their workers. Returns whether it was
 * not there: others may have taken it for one of these.
 */
export async function keepControlPlane(client: Queryable, row: ControlPlaneRow, forMs: number): Promise<boolean> {
  return (await ask<{ isNew: boolean }>(client, KEEP, [row.id, row.url, forMs]))[0]!.isNew;
}

const LEAVE = statement(
  "leave_control_planes",
  `WITH left_behind AS (DELETE FROM cairn.worker_status WHERE pool = $1)
  DELETE FROM cairn.control_planes WHERE id = $1`,
);

export async function leaveControlPlanes(client: Queryable, id: string): Promise<void> {
  await ask(client, LEAVE, [id]);
}

const LIST = statement(
  "list_control_planes",
  "SELECT id, url FROM cairn.control_planes WHERE url IS NOT NULL AND expires_at > (SELECT cairn.now()) ORDER BY id LIMIT 100",
);

export function listControlPlanes(client: Queryable): Promise<ControlPlaneRow[]> {
  return ask<ControlPlaneRow & Record<string, unknown>>(client, LIST);
}

/** What a worker says of itself. */
export interface NewWorker {
  readonly namespace: string;
  readonly worker: string;
  readonly prefixes: readonly string[];
  readonly actions: readonly string[];
  readonly capacity: number;
}

const JOIN = statement(
  "join_workers",
  `INSERT INTO cairn.worker_status (namespace, pool, worker, prefixes, actions, capacity, in_flight, queue_depth,
    actions_per_second, connected_at, last_seen)
  SELECT r.namespace, $1, r.worker, r.prefixes::text[], r.actions::text[], r.capacity, 0, 0, 0, moment, moment
  FROM cairn.now() AS moment, unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
    AS r (namespace, worker, prefixes, actions, capacity)
  ON CONFLICT (namespace, pool, worker) DO UPDATE SET prefixes = excluded.prefixes, actions = excluded.actions,
    capacity = excluded.capacity, connected_at = excluded.connected_at, last_seen = excluded.last_seen, completed = 0`,
);

export async function joinWorkers(client: Queryable, pool: string, workers: readonly NewWorker[]): Promise<void> {
  const values = columns(workers, ["namespace", "worker", "prefixes", "actions", "capacity"]);
  await ask(client, JOIN, [pool, ...values]);
}

/** How a worker does. What it has is not written again. */
export interface WorkerMetrics extends CallRates {
  readonly namespace: string;
  readonly worker: string;
  readonly inFlight: number;
  /** Calls that it could run, and that wait. */
  readonly queueDepth: number;
}

const UPDATE = statement(
  "update_workers",
  `UPDATE cairn.worker_status AS w SET in_flight = r.in_flight, queue_depth = r.queue_depth,
    actions_per_second = r.actions_per_second, latency_p50_ms = r.p50, latency_p95_ms = r.p95, latency_p99_ms = r.p99,
    completed = r.completed, last_seen = moment
  FROM cairn.now() AS moment,
    unnest($2::text[], $3::text[], $4::int[], $5::int[], $6::float8[], $7::float8[], $8::float8[], $9::float8[],
      $10::int8[])
    AS r (namespace, worker, in_flight, queue_depth, actions_per_second, p50, p95, p99, completed)
  WHERE w.namespace = r.namespace AND w.pool = $1 AND w.worker = r.worker`,
);

export async function updateWorkers(client: Queryable, pool: string, workers: readonly WorkerMetrics[]): Promise<void> {
  const values = columns(workers, [
    "namespace",
    "worker",
    "inFlight",
    "queueDepth",
    "actionsPerSecond",
    "latencyP50Ms",
    "latencyP95Ms",
    "latencyP99Ms",
    "completed",
  ]);
  await ask(client, UPDATE, [pool, ...values]);
}

const LEFT = statement(
  "remove_workers",
  `DELETE FROM cairn.worker_status AS w USING unnest($2::text[], $3::text[]) AS r (namespace, worker)
  WHERE w.namespace = r.namespace AND w.pool = $1 AND w.worker = r.worker`,
);

export async function removeWorkers(
  client: Queryable,
  pool: string,
  workers: readonly Pick<NewWorker, "namespace" | "worker">[],
): Promise<void> {
  await ask(client, LEFT, [pool, ...columns(workers, ["namespace", "worker"])]);
}

const OTHERS = statement(
  "workers_elsewhere",
  `SELECT w.namespace, w.prefixes, w.actions FROM cairn.worker_status AS w
  JOIN cairn.control_planes AS c ON c.id = w.pool AND c.expires_at > (SELECT cairn.now())
  WHERE ($1::text IS NULL OR w.namespace = $1) AND w.pool <> $2`,
);

type Served = Pick<NewWorker, "namespace" | "prefixes" | "actions">;

/** Workers of other control planes; of a namespace, or of all (null). */
export function workersElsewhere(client: Queryable, namespace: string | null, pool: string): Promise<Served[]> {
  return ask<Served & Record<string, unknown>>(client, OTHERS, [namespace, pool]);
}

const SHOW = statement(
  "show_unserved",
  `WITH shown AS MATERIALIZED (
    SELECT q.run_id, u.waiting_for FROM unnest($1::text[], $2::text[]) AS u (pool, waiting_for) CROSS JOIN LATERAL (
      SELECT run_id, phase FROM cairn.queue AS q WHERE q.pool = u.pool AND q.state = 'ready' AND q.crashes < 2
      ORDER BY q.ready_at LIMIT $3
    ) AS q WHERE q.phase = 'ready'
  )
  UPDATE cairn.queue AS q SET phase = 'waiting', waiting_for = shown.waiting_for FROM shown
  WHERE q.run_id = shown.run_id AND q.state = 'ready' AND q.phase = 'ready'`,
);

/** Jobs that nobody claims say what they wait for: the oldest of each pool, however many there are. */
export async function showUnserved(
  client: Queryable,
  pools: readonly { readonly pool: string; readonly waitingFor: string }[],
  countMax: number,
): Promise<void> {
  await ask(client, SHOW, [...columns(pools, ["pool", "waitingFor"]), countMax]);
}
