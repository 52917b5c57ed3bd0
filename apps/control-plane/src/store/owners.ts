import { randomBytes } from "node:crypto";
import { ask, type Queryable, statement } from "./statement.ts";

/** What this release writes into queue rows and snapshots, and understands. */
const FORMAT = 1;

export interface NewOwner {
  readonly id: string;
  readonly leaseMs: number;
  readonly address: string;
  readonly alone: boolean;
  /** Whether the connection has a session of its own; behind a pooler it has not. */
  readonly hasSession: boolean;
}

const OPEN = statement(
  "open_owner",
  `INSERT INTO cairn.owners (id, expires_at, lease_ms, address, format, session_lock, alone, created_at)
  SELECT $1, moment + $2::int * interval '1 ms', $2, $3, ${FORMAT}, $4, $5, moment FROM cairn.now() AS moment`,
);

/**
 * An id is used for one life: whoever has lost ownership comes back as another. The owner lives no longer than the
 * session it was opened in, since that holds a lock which is gone with it. Without a session, the lease alone counts.
 */
export async function openOwner(client: Queryable, owner: NewOwner): Promise<void> {
  const lock = owner.hasSession ? randomBytes(8).readBigInt64BE().toString() : null;
  if (lock !== null) await client.query("SELECT pg_advisory_lock($1)", [lock]);
  await ask(client, OPEN, [owner.id, owner.leaseMs, owner.address, lock, owner.alone]);
}

const KEEP = statement(
  "keep_owners",
  `UPDATE cairn.owners AS o SET expires_at = moment + o.lease_ms * interval '1 ms'
  FROM (SELECT cairn.now() AS moment) AS clock WHERE o.id = ANY ($1::uuid[]) AND o.expires_at > moment
  RETURNING o.id`,
);

/** Prolongs leases that have not run out; returns the ids of those. One row an owner, whatever it holds. */
export async function keepOwners(client: Queryable, ids: readonly string[]): Promise<string[]> {
  return (await ask<{ id: string }>(client, KEEP, [ids])).map(({ id }) => id);
}

const LOOK = statement(
  "look_at_owner",
  `SELECT moment, EXISTS (SELECT FROM cairn.owners WHERE id = $1 AND expires_at > moment) AS owned
  FROM (SELECT cairn.now() AS moment) AS clock`,
);

/** The time, and whether the owner's lease is alive. */
export async function lookAtOwner(
  client: Queryable,
  id: string,
): Promise<{ readonly moment: number; readonly owned: boolean }> {
  return (await ask<{ moment: number; owned: boolean }>(client, LOOK, [id]))[0]!;
}

const CLOSE = statement("close_owner", "DELETE FROM cairn.owners WHERE id = $1");
const RELEASE = statement(
  "release_runs",
  `UPDATE cairn.queue SET state = 'ready', owner = NULL, phase = 'ready', crashes = 0, ready_at = cairn.now(),
    calls_out = CASE WHEN $2::uuid[] IS NULL THEN calls_out ELSE run_id = ANY ($2) END
  WHERE state = 'held' AND owner = $1`,
);

/**
 * A graceful end: what it held is free at once, and no crash is counted. `callsOut`: those of its runs that someone may be
 * running calls of, if that is known.
 */
export async function releaseOwner(
  client: Queryable,
  id: string,
  callsOut: readonly string[] | null = null,
): Promise<void> {
  await ask(client, CLOSE, [id]);
  await ask(client, RELEASE, [id, callsOut]);
}

const RELEASE_ONE = statement(
  "release_run",
  `UPDATE cairn.queue SET state = 'ready', owner = NULL, phase = 'ready', crashes = $3, ready_at = cairn.now()
  WHERE run_id = $2 AND state = 'held' AND owner = $1`,
);

/** It goes to the end of those that are ready, or of those in quarantine, as its crashes say. */
export async function releaseRun(
  client: Queryable,
  owner: string,
  run: { readonly id: string; readonly crashes: number },
): Promise<void> {
  await ask(client, RELEASE_ONE, [owner, run.id, run.crashes]);
}

const GIVE_BACK = statement(
  "give_back_runs",
  `UPDATE cairn.queue AS q SET state = 'ready', owner = NULL, phase = 'ready', calls_out = given.calls_out,
    started_at = CASE WHEN given.begun THEN q.started_at END
  FROM unnest($2::uuid[], $3::boolean[], $4::boolean[]) AS given (id, begun, calls_out)
  WHERE q.run_id = given.id AND q.state = 'held' AND q.owner = $1`,
);

/** As if they had not been claimed: they keep their place, and their crashes. */
export async function giveBackRuns(
  client: Queryable,
  owner: string,
  runs: readonly { readonly id: string; readonly begun: boolean; readonly callsOut: boolean }[],
): Promise<void> {
  await ask(client, GIVE_BACK, [
    owner,
    runs.map(({ id }) => id),
    runs.map(({ begun }) => begun),
    runs.map(({ callsOut }) => callsOut),
  ]);
}

const BURY_EXPIRED = statement(
  "bury_expired_owners",
  "DELETE FROM cairn.owners WHERE expires_at < (SELECT cairn.now())",
);

/** A lock that can be had belongs to no session any more. It is given back at the end of the statement. */
const BURY_GONE = statement(
  "bury_gone_owners",
  "DELETE FROM cairn.owners WHERE session_lock IS NOT NULL AND pg_try_advisory_xact_lock(session_lock)",
);

/** Each owner is found by one look at the index, however much it holds. */
const FREE = statement(
  "free_orphans",
  `WITH RECURSIVE holders (owner) AS (
    (SELECT owner FROM cairn.queue WHERE state = 'held' ORDER BY owner LIMIT 1)
    UNION ALL
    SELECT next.owner FROM holders, LATERAL (
      SELECT q.owner FROM cairn.queue AS q WHERE q.state = 'held' AND q.owner > holders.owner ORDER BY q.owner LIMIT 1
    ) AS next
  ),
  gone AS (SELECT owner FROM holders WHERE NOT EXISTS (SELECT FROM cairn.owners AS o WHERE o.id = holders.owner)),
  orphans AS (
    SELECT q.run_id FROM cairn.queue AS q JOIN gone USING (owner) WHERE q.state = 'held' LIMIT $1 FOR UPDATE OF q SKIP LOCKED
  )
  UPDATE cairn.queue AS q
  SET state = 'ready', owner = NULL, phase = 'ready', crashes = q.crashes + 1, ready_at = cairn.now()
  FROM orphans WHERE q.run_id = orphans.run_id`,
);

/** In one batch, so that a process with very many runs that went down holds no lock for long. */
const FREED_MAX = 5_000;

/**
 * Deletes owners whose lease has run out or whose session has ended, then, in statements of their own, frees the runs of owners that are no more.
 * The deletion waits for a commit that is under way; whatever the owner tries afterwards finds no owner. Not on a
 * connection of an owner, which could have its own lock again.
 */
export async function takeOver(client: Queryable): Promise<number> {
  await ask(client, BURY_EXPIRED);
  await ask(client, BURY_GONE);
  let freed = 0;
  for (;;) {
    const { rowCount } = await client.query({ name: FREE.name, text: FREE.text, values: [FREED_MAX] });
    freed += rowCount ?? 0;
    if ((rowCount ?? 0) < FREED_MAX) return freed;
  }
}
