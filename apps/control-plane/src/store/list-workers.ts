import type pg from "pg";
import type { WorkerMetrics } from "./fleet.ts";
import { ask, type Queryable, statement } from "./statement.ts";

export interface WorkerRow extends WorkerMetrics {
  readonly pool: string;
  readonly prefixes: string[];
  readonly actions: string[];
  readonly capacity: number;
  readonly connectedAt: number;
  readonly lastSeen: number;
}

const WORKERS = statement(
  "list_workers",
  `SELECT w.namespace, w.worker, w.pool, w.prefixes, w.actions, w.capacity, w.in_flight AS "inFlight",
    w.queue_depth AS "queueDepth", w.actions_per_second AS "actionsPerSecond", w.latency_p50_ms AS "latencyP50Ms",
    w.latency_p95_ms AS "latencyP95Ms", w.latency_p99_ms AS "latencyP99Ms", w.completed, w.connected_at AS "connectedAt",
    w.last_seen AS "lastSeen"
  FROM cairn.worker_status AS w
  JOIN cairn.control_planes AS c ON c.id = w.pool AND c.expires_at > (SELECT cairn.now())
  WHERE w.namespace = $1 ORDER BY w.worker, w.pool`,
);

/** Of a namespace, on all control planes that live. */
export function listWorkers(client: Queryable, namespace: string): Promise<WorkerRow[]> {
  return ask<WorkerRow & pg.QueryResultRow>(client, WORKERS, [namespace]);
}
