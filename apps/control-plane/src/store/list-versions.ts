import type pg from "pg";
import { isNamedBy } from "./named-by.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

/** What can be started by a name. */
export interface NameRow {
  readonly name: string;
  readonly kind: "workflow" | "action";
  readonly current: string;
  readonly since: number;
  readonly versions: number;
}

/** Null: whatever it is. */
export interface NamesLook {
  readonly kind: "workflow" | "action" | null;
  /** A name, or the beginning of names before a star. */
  readonly name: string | null;
  readonly after: string | null;
  readonly backwards: boolean;
  readonly limit: number;
}

const NAMED = `SELECT c.name, w.kind, c.version AS current, c.since, (
      SELECT count(*)::int FROM cairn.workflow_versions AS v WHERE v.namespace = c.namespace AND v.name = c.name
    ) AS versions
    FROM cairn.current_versions AS c JOIN cairn.workflow_versions AS w USING (namespace, name, version)
    WHERE c.namespace = $1`;

const names = (name: string, behind: string, direction: string): Statement =>
  statement(
    name,
    `${NAMED} AND ($2::text IS NULL OR c.name ${behind} $2) AND ($3::text IS NULL OR w.kind = $3)
      AND ${isNamedBy("c.name", "$4")}
    ORDER BY c.name ${direction} LIMIT $5`,
  );
const NAMES = names("list_names", ">", "ASC");
const NAMES_BACKWARDS = names("list_names_backwards", "<", "DESC");

/** By name. */
export function listNames(client: Queryable, namespace: string, look: NamesLook): Promise<NameRow[]> {
  const { kind, name, after, backwards, limit } = look;
  const how = backwards ? NAMES_BACKWARDS : NAMES;
  return ask<NameRow & pg.QueryResultRow>(client, how, [namespace, after, kind, name, limit]);
}

const ONE = statement("find_name", `${NAMED} AND c.name = $2`);

export async function findName(client: Queryable, namespace: string, name: string): Promise<NameRow | undefined> {
  return (await ask<NameRow & pg.QueryResultRow>(client, ONE, [namespace, name]))[0];
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
