import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** What can be started by a name. */
export interface NameRow {
  readonly name: string;
  readonly kind: "workflow" | "action";
  readonly current: string;
  readonly since: number;
  readonly versions: number;
}

const NAMES = statement(
  "list_names",
  `SELECT c.name, w.kind, c.version AS current, c.since, (
    SELECT count(*)::int FROM cairn.workflow_versions AS v WHERE v.namespace = c.namespace AND v.name = c.name
  ) AS versions
  FROM cairn.current_versions AS c JOIN cairn.workflow_versions AS w USING (namespace, name, version)
  WHERE c.namespace = $1 AND c.name > $2 ORDER BY c.name LIMIT $3`,
);

/** By name, after one of them. */
export function listNames(client: Queryable, namespace: string, after: string, limit: number): Promise<NameRow[]> {
  return ask<NameRow & pg.QueryResultRow>(client, NAMES, [namespace, after, limit]);
}

export interface VersionRow {
  readonly version: string;
  readonly programHash: string;
  readonly isCurrent: boolean;
  readonly maxAttempts: number;
  readonly tags: string[];
  readonly createdAt: number;
}

const VERSIONS = statement(
  "list_versions",
  `SELECT w.version, w.program_hash AS "programHash", c.version IS NOT NULL AS "isCurrent",
    w.max_attempts AS "maxAttempts", w.tags, w.created_at AS "createdAt"
  FROM cairn.workflow_versions AS w LEFT JOIN cairn.current_versions AS c USING (namespace, name, version)
  WHERE w.namespace = $1 AND w.name = $2 ORDER BY w.created_at DESC, w.version`,
);

/** All of a name, the newest first. */
export function listVersions(client: Queryable, namespace: string, name: string): Promise<VersionRow[]> {
  return ask<VersionRow & pg.QueryResultRow>(client, VERSIONS, [namespace, name]);
}
