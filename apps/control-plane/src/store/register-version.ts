import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** A version of a workflow, as it is registered and found. */
export interface RegisteredVersion {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly kind: "workflow" | "action";
  readonly programHash: string;
  readonly program: string;
  readonly inputSchema: string | null;
  readonly maxAttempts: number;
  /** How long its runs stay with an owner that says nothing, if that is not as usual. Whoever registers last decides. */
  readonly leaseMs: number | null;
  readonly tags: readonly string[];
}

/** As someone registers it. */
export interface NewVersion extends Omit<RegisteredVersion, "leaseMs"> {
  /** Undefined: as it was registered, or as that of the version before. */
  readonly leaseMs: number | null | undefined;
}

/** The version was registered with another program, or its name as something else: neither ever changes. */
export class VersionConflict extends Error {
  override name = "VersionConflict";
}

/** Whether the name stands for something of another kind, as a condition: parameters and columns by name. */
export const ofOtherKind = (namespace: string, name: string, kind: string): string =>
  `SELECT FROM cairn.current_versions AS c JOIN cairn.workflow_versions AS w USING (namespace, name, version)
    WHERE c.namespace = ${namespace} AND c.name = ${name} AND w.kind <> ${kind}`;

/**
 * A version is current from its first registration on, by the same statement; registering it again changes nothing. A name
 * is that of a workflow or of an action: else nobody knows what a start means.
 */
const INSERT = statement(
  "register_version",
  `WITH inserted AS (
    INSERT INTO cairn.workflow_versions
      (namespace, name, version, kind, program_hash, program, input_schema, max_attempts, tags, lease_ms, created_at)
    SELECT $1, $2, $3, $4, $5, $6::json, $7::json, $8::int, $9::text[],
      CASE WHEN $11::boolean THEN $10::int ELSE (
        SELECT w.lease_ms FROM cairn.current_versions AS c JOIN cairn.workflow_versions AS w USING (namespace, name, version)
        WHERE c.namespace = $1 AND c.name = $2
      ) END, cairn.now()
    WHERE NOT EXISTS (${ofOtherKind("$1", "$2", "$4")})
    ON CONFLICT DO NOTHING RETURNING namespace, name, version
  )
  INSERT INTO cairn.current_versions (namespace, name, version, since)
  SELECT namespace, name, version, cairn.now() FROM inserted
  ON CONFLICT (namespace, name) DO UPDATE SET version = excluded.version, since = excluded.since RETURNING version`,
);

const READ = statement(
  "registered_hash",
  `SELECT program_hash AS "programHash", lease_ms AS "leaseMs" FROM cairn.workflow_versions
  WHERE namespace = $1 AND name = $2 AND version = $3`,
);

const CHANGE_LEASE = statement(
  "change_lease",
  "UPDATE cairn.workflow_versions SET lease_ms = $4 WHERE namespace = $1 AND name = $2 AND version = $3",
);

/** Insert, or read and compare. Returns whether the version is new. */
export async function registerVersion(client: Queryable, version: NewVersion): Promise<boolean> {
  const { namespace, name, kind, programHash, program, inputSchema, maxAttempts, tags, leaseMs } = version;
  const values = [
    namespace,
    name,
    version.version,
    kind,
    programHash,
    program,
    inputSchema,
    maxAttempts,
    tags,
    leaseMs,
    leaseMs !== undefined,
  ];
  const inserted = await ask(client, INSERT, values);
  if (inserted.length > 0) return true;
  const [there] = await ask<{ programHash: string; leaseMs: number | null }>(client, READ, [
    namespace,
    name,
    version.version,
  ]);
  if (there === undefined) throw otherKind(name, kind);
  if (there.programHash !== programHash) {
    throw new VersionConflict(
      `The version ${version.version} of ${name} is registered with another program. ` +
        "Give the changed workflow another version, or none: then its hash is its version.",
    );
  }
  if (leaseMs !== undefined && there.leaseMs !== leaseMs)
    await ask(client, CHANGE_LEASE, [namespace, name, version.version, leaseMs]);
  return false;
}

export function otherKind(name: string, kind: RegisteredVersion["kind"]): VersionConflict {
  const [declared, registered] = kind === "action" ? ["action", "a workflow"] : ["workflow", "an action"];
  return new VersionConflict(
    `${name} is registered as ${registered}: nobody would know what a start of it means. Give the ${declared} another name.`,
  );
}

const PROMOTE = statement(
  "promote_version",
  `UPDATE cairn.current_versions AS c SET version = $3, since = cairn.now()
  FROM cairn.workflow_versions AS w
  WHERE c.namespace = $1 AND c.name = $2 AND w.namespace = $1 AND w.name = $2 AND w.version = $3 RETURNING c.version`,
);

const KEEP_SOURCES = statement(
  "keep_sources",
  `WITH texts AS (
    INSERT INTO cairn.source_files (digest, bytes)
    SELECT sha256(f.bytes), f.bytes FROM unnest($7::bytea[]) AS f (bytes) ON CONFLICT DO NOTHING
  )
  INSERT INTO cairn.workflow_sources (namespace, name, version, source_hash, debug, files, created_at)
  SELECT $1::text, $2::text, $3::text, $4::text, $5::json, json_object_agg(f.name, encode(sha256(f.bytes), 'hex')), cairn.now()
  FROM unnest($6::text[], $7::bytea[]) AS f (name, bytes) ON CONFLICT DO NOTHING`,
);

/** What the code of a version looks like. */
export interface VersionSources {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly sourceHash: string;
  readonly debug: string;
  readonly files: ReadonlyMap<string, string>;
}

/** To be kept beside a registered version; once for each way its code has looked. */
export async function keepSources(client: Queryable, sources: VersionSources): Promise<void> {
  const { namespace, name, version, sourceHash, debug, files } = sources;
  const texts = Array.from(files.values(), (text) => Buffer.from(text));
  await ask(client, KEEP_SOURCES, [namespace, name, version, sourceHash, debug, [...files.keys()], texts]);
}

/** Makes a registered version the one that starts without a version use. False if there is no such version. */
export async function promoteVersion(
  client: Queryable,
  namespace: string,
  name: string,
  version: string,
): Promise<boolean> {
  return (await ask(client, PROMOTE, [namespace, name, version])).length > 0;
}

const VERSION = `w.namespace, w.name, w.version, w.kind, w.program_hash AS "programHash", w.program,
  w.input_schema AS "inputSchema", w.max_attempts AS "maxAttempts", w.lease_ms AS "leaseMs", w.tags`;

const ASKED_FOR = `w.namespace = $1 AND w.name = $2 AND w.version = coalesce($3,
    (SELECT c.version FROM cairn.current_versions AS c WHERE c.namespace = $1 AND c.name = $2))`;

const FIND = statement("find_version", `SELECT ${VERSION} FROM cairn.workflow_versions AS w WHERE ${ASKED_FOR}`);

/** The version asked for, or the current one. */
export async function findVersion(
  client: Queryable,
  namespace: string,
  name: string,
  version: string | null,
): Promise<RegisteredVersion | undefined> {
  return (await ask<RegisteredVersion & pg.QueryResultRow>(client, FIND, [namespace, name, version]))[0];
}

/** What may change about a version: which one is current, the lease of its runs, and of a job, how often it is tried. */
export interface VersionAtStart {
  readonly version: string;
  readonly leaseMs: number | null;
  readonly maxAttempts: number;
}

const AT_START = statement(
  "version_at_start",
  `SELECT w.version, w.lease_ms AS "leaseMs", w.max_attempts AS "maxAttempts"
  FROM cairn.workflow_versions AS w WHERE ${ASKED_FOR}`,
);

/** Of the version asked for, or the current one. */
export async function versionAtStart(
  client: Queryable,
  namespace: string,
  name: string,
  version: string | null = null,
): Promise<VersionAtStart | undefined> {
  return (await ask<VersionAtStart & pg.QueryResultRow>(client, AT_START, [namespace, name, version]))[0];
}
