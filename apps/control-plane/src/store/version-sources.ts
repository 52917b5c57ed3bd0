import type pg from "pg";
import { ask, type Queryable, statement } from "./statement.ts";

/** What the code of a version looked like when it was registered. */
export interface SourceRow {
  readonly sourceHash: string;
  /** Names of files, and the digests of their texts in hex; as JSON. */
  readonly files: string;
  /** Where in them the instructions come from; as JSON. */
  readonly debug: string;
  readonly createdAt: number;
}

const SOURCES = statement(
  "sources_of_version",
  `SELECT source_hash AS "sourceHash", files, debug, created_at AS "createdAt" FROM cairn.workflow_sources
  WHERE namespace = $1 AND name = $2 AND version = $3 ORDER BY created_at DESC, source_hash`,
);

/** The newest first. */
export function listSources(client: Queryable, namespace: string, name: string, version: string): Promise<SourceRow[]> {
  return ask<SourceRow & pg.QueryResultRow>(client, SOURCES, [namespace, name, version]);
}

const TEXTS = statement(
  "texts_of_sources",
  `SELECT encode(f.digest, 'hex') AS digest, f.bytes FROM unnest($1::text[]) AS wanted (digest)
  JOIN cairn.source_files AS f ON f.digest = decode(wanted.digest, 'hex')`,
);

/** Texts by name, in the order of the names. */
export async function textsOf(client: Queryable, { files }: SourceRow): Promise<Map<string, string>> {
  const digests = JSON.parse(files) as Readonly<Record<string, string>>;
  const rows = await ask<{ digest: string; bytes: Buffer }>(client, TEXTS, [[...new Set(Object.values(digests))]]);
  const texts = new Map(rows.map(({ digest, bytes }) => [digest, bytes.toString()]));
  const names = Object.keys(digests).sort();
  return new Map(names.map((name) => [name, texts.get(digests[name]!) ?? ""]));
}
