import { ask, type Queryable, statement } from "./statement.ts";

const GRANT = statement(
  "grant_blob",
  `INSERT INTO cairn.blob_readers AS r (namespace, digest, granted_at) VALUES ($1, decode($2, 'hex'), cairn.now())
  ON CONFLICT (namespace, digest) DO UPDATE SET granted_at = excluded.granted_at
    WHERE r.granted_at < excluded.granted_at - interval '1 day'`,
);

/** Callers of this namespace may read it for a week at least. */
export async function grantBlob(client: Queryable, namespace: string, digest: string): Promise<void> {
  await ask(client, GRANT, [namespace, digest]);
}

const FIND = statement(
  "find_blob_reader",
  "SELECT FROM cairn.blob_readers WHERE namespace = $1 AND digest = decode($2, 'hex')",
);

export async function mayReadBlob(client: Queryable, namespace: string, digest: string): Promise<boolean> {
  return (await ask(client, FIND, [namespace, digest])).length > 0;
}

const SWEEP = statement(
  "sweep_blob_readers",
  "DELETE FROM cairn.blob_readers WHERE granted_at < cairn.now() - interval '8 days'",
);

export async function sweepBlobReaders(client: Queryable): Promise<void> {
  await ask(client, SWEEP);
}
