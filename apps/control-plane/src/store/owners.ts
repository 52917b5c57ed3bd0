import { randomBytes } from "node:crypto";
import type pg from "pg";
import { FORMAT } from "./format.ts";
import { skipScan } from "./skip-scan.ts";
import { ask, type Queryable, type Statement, statement } from "./statement.ts";

export interface NewOwner {
  readonly id: string;
  readonly leaseMs: number;
  readonly address: string;
  readonly alone: boolean;
  /** Whether the connection has a session of its own; behind a pooler it has not. */
  readonly hasSession: boolean;
}

/** What all owners understand who are alive at the moment of the CTE `clock`. */
const LOWEST_FORMAT = "SELECT min(o.format) FROM clock, cairn.owners AS o WHERE o.expires_at > clock.moment";

const OPEN = statement(
  "open_owner",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment)
  INSERT INTO cairn.owners (id, expires_at, lease_ms, address, format, written_format, incarnation, session_lock, alone, created_at)
  SELECT $1, moment + $2::int * interval '1 ms', $2, $3, ${FORMAT}, least(${FORMAT}, (${LOWEST_FORMAT})), i.id, $4, $5, moment
  FROM clock, cairn.incarnation AS i RETURNING incarnation`,
);

/**
 * An id is used for one life: whoever has lost ownership comes back as another. The owner lives no longer than the
 * session it was opened in, since that holds a lock which is gone with it. Without a session, the lease alone counts.
 * Returns the incarnation of the database.
 */
export async function openOwner(client: Queryable, owner: NewOwner): Promise<string> {
  const lock = owner.hasSession ? randomBytes(8).readBigInt64BE().toString() : null;
  if (lock !== null) await client.query("SELECT pg_advisory_lock($1)", [lock]);
  const values = [owner.id, owner.leaseMs, owner.address, lock, owner.alone];
  return (await ask<{ incarnation: string }>(client, OPEN, values))[0]!.incarnation;
}

const KEEP = statement(
  "keep_owners",
  `WITH clock AS MATERIALIZED (SELECT cairn.now() AS moment), kept AS MATERIALIZED (
    SELECT o.id, moment FROM clock, cairn.owners AS o
    WHERE o.id = ANY ($1::uuid[]) AND o.expires_at > moment FOR NO KEY UPDATE OF o SKIP LOCKED
  )
  UPDATE cairn.owners AS o SET expires_at = kept.moment + o.lease_ms * interval '1 ms',
    written_format = (${LOWEST_FORMAT}),
    server_started_at = CASE WHEN o.session_lock IS NULL THEN pg_postmaster_start_time() ELSE o.server_started_at END
  FROM kept WHERE o.id = kept.id RETURNING o.id`,
);

/**
 * Prolongs leases that have not run out, and says what their owners write from now on; returns the ids of those. One row an
 * owner, whatever it holds. One that someone has locked is left to the next time, for the sake of the others.
 */
export async function keepOwners(client: Queryable, ids: readonly string[]): Promise<string[]> {
  return (await ask<{ id: string }>(client, KEEP, [ids])).map(({ id }) => id);
}

const LOOK = statement(
  "look_at_owner",
  `SELECT moment, EXISTS (SELECT FROM cairn.owners WHERE id = $1 AND expires_at > moment) AS owned,
    CASE WHEN limits.is_called THEN limits.last_value ELSE 0 END AS "limitChanges",
    CASE WHEN wanted.is_called THEN wanted.last_value ELSE 0 END AS "subscriptionChanges"
  FROM (SELECT cairn.now() AS moment) AS clock, cairn.limit_changes AS limits, cairn.subscription_changes AS wanted`,
);

interface OwnerLook {
  readonly moment: number;
  readonly owned: boolean;
  readonly limitChanges: number;
  readonly subscriptionChanges: number;
}

/** The time, whether the owner's lease is alive, and how often limits and subscriptions have changed. */
export async function lookAtOwner(client: Queryable, id: string): Promise<OwnerLook> {
  return (await ask<OwnerLook & pg.QueryResultRow>(client, LOOK, [id]))[0]!;
}

const RELEASED = `state = 'ready', owner = NULL, phase = 'ready', crashes = 0, ready_at = cairn.now(),
  calls_out = calls_out AND run_id NOT IN (SELECT unnest($2::uuid[]))`;

/** In one statement: others who see that there is no owner any more count a crash for whatever it still holds. */
const CLOSE = statement(
  "close_owner",
  `WITH closed AS (DELETE FROM cairn.owners WHERE id = $1 RETURNING id)
  UPDATE cairn.queue AS q SET ${RELEASED} FROM closed WHERE q.state = 'held' AND q.owner = closed.id`,
);
const RELEASE = statement("release_runs", `UPDATE cairn.queue SET ${RELEASED} WHERE state = 'held' AND owner = $1`);

/**
 * A graceful end: what it held is free at once, and no crash is counted. `quiet`: those of its runs that certainly nobody is
 * running calls of.
 */
export async function releaseOwner(client: Queryable, id: string, quiet: readonly string[] = []): Promise<void> {
  await ask(client, CLOSE, [id, quiet]);
  // What a commit that was under way has made its own after the first statement began.
  await ask(client, RELEASE, [id, quiet]);
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

/** Owners that this process knows of, and of which others judge. */
export interface OwnOwners {
  /** Whose threads are alive, with a session or without: they come back by themselves. */
  readonly living: readonly string[];
  /** Those of them that are lost: whoever follows frees what they hold. Their leases are kept by nobody. */
  readonly former: readonly string[];
}

export interface TakeOverOptions {
  readonly own: OwnOwners;
  /** Whether owners that have lost their session since the server went down have had the time to come back. */
  readonly isGraceOver: boolean;
}

/** A lock that can be had belongs to no session any more. It is given back at the end of the statement. */
const GONE = `SELECT id FROM cairn.owners WHERE (expires_at < (SELECT cairn.now()) AND id <> ALL ($1::uuid[])
      OR session_lock IS NOT NULL AND id <> ALL ($2::uuid[]) AND pg_try_advisory_xact_lock(session_lock))`;

/** One whose commit is under way is left to the next time: nobody waits for whoever holds that up. */
const LOCKED = "FOR UPDATE SKIP LOCKED";

const BURY = statement(
  "bury_owners",
  `WITH gone AS MATERIALIZED (${GONE} AND server_started_at = pg_postmaster_start_time() ${LOCKED})
  DELETE FROM cairn.owners AS o USING gone WHERE o.id = gone.id`,
);

/**
 * Those that went with the server: no crash. In one statement, since others count one for whatever is held by an owner
 * that is no more.
 */
const BURY_RESTARTED = statement(
  "bury_restarted_owners",
  `WITH gone AS MATERIALIZED (${GONE} AND server_started_at <> pg_postmaster_start_time() ${LOCKED}),
  buried AS (DELETE FROM cairn.owners AS o USING gone WHERE o.id = gone.id),
  freed AS MATERIALIZED (
    SELECT q.run_id FROM gone, cairn.queue AS q WHERE q.state = 'held' AND q.owner = gone.id FOR UPDATE OF q SKIP LOCKED
  )
  UPDATE cairn.queue AS q SET state = 'ready', owner = NULL, phase = 'ready', ready_at = cairn.now()
  FROM freed WHERE q.run_id = freed.run_id`,
);

/** Each owner is found by one look at the index, however much it holds. */
const FREE = statement(
  "free_orphans",
  `WITH RECURSIVE ${skipScan("holders", "owner", "cairn.queue", "t.state = 'held'")},
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

const NOBODYS: OwnOwners = { living: [], former: [] };

/**
 * Deletes owners whose lease has run out or whose session has ended, then, in statements of their own, frees the runs of owners that are no more.
 * The deletion leaves a commit that is under way alone; whatever the owner tries afterwards finds no owner. Not on a
 * connection of an owner, which could have its own lock again.
 */
export async function takeOver(
  client: Queryable,
  { own, isGraceOver }: TakeOverOptions = { own: NOBODYS, isGraceOver: true },
): Promise<number> {
  const { former, living } = own;
  await ask(client, BURY, [former, living]);
  let freed = isGraceOver ? await changed(client, BURY_RESTARTED, [former, living]) : 0;
  for (;;) {
    const orphans = await changed(client, FREE, [FREED_MAX]);
    freed += orphans;
    if (orphans < FREED_MAX) return freed;
  }
}

async function changed(client: Queryable, { name, text }: Statement, values: unknown[]): Promise<number> {
  return (await client.query({ name, text, values })).rowCount ?? 0;
}
