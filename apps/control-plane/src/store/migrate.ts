import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type pg from "pg";
import { openConnection } from "./connection.ts";
import { createPartitions } from "./create-partitions.ts";

/** Any two migrations of one database wait for each other. */
const ADVISORY_LOCK = 0x43_61_69_72_6e;
/** A migration never waits longer for a table that others use: it would block all who come after it. */
const LOCK_TIMEOUT_MS = 5_000;

const FOLDER = new URL("../../migrations/", import.meta.url);

export class MigrationRefused extends Error {
  override name = "MigrationRefused";
}

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

/** Brings the schema `cairn` to the state that this release needs: each file once, each in a transaction of its own. */
export async function migrate(url: string): Promise<void> {
  const client = await openConnection(url, "migrate");
  try {
    await createLedger(client);
    const migrations = readMigrations();
    const applied = await readLedger(client);
    const strange = strangeness(migrations, applied);
    if (strange !== null) throw new MigrationRefused(strange);
    for (const migration of migrations) {
      if (!applied.has(migration.name)) await apply(client, migration);
    }
    // Where nobody has run for weeks, there are none for the runs of today.
    await createPartitions(client);
  } finally {
    await client.end();
  }
}

/** What was done to a database, and what this release would have done to it. */
export interface MigrationState {
  readonly applied: readonly string[];
  readonly missing: readonly string[];
  /** Why it cannot be understood, if it cannot. */
  readonly strange: string | null;
}

/** Changes nothing. */
export async function migrationState(client: pg.Client): Promise<MigrationState> {
  const migrations = readMigrations();
  const applied = (await isThere(client)) ? await readLedger(client) : new Map<string, string>();
  const missing = migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
  return { applied: [...applied.keys()].sort(), missing, strange: strangeness(migrations, applied) };
}

/** For operators: what was done, and what is missing. */
export async function migrationStatus(url: string): Promise<MigrationState> {
  const client = await openConnection(url, "migrate");
  try {
    return await migrationState(client);
  } finally {
    await client.end();
  }
}

/** For those who may not change the schema, or should not: throws if it is not what this release needs. */
export async function requireMigrated(url: string): Promise<void> {
  const client = await openConnection(url, "migrate");
  try {
    const { missing, strange } = await migrationState(client);
    if (strange !== null) throw new MigrationRefused(strange);
    if (missing.length === 0) return;
    throw new MigrationRefused(
      `The database lacks the migrations ${missing.join(", ")}: let someone start Cairn once who may migrate it.`,
    );
  } finally {
    await client.end();
  }
}

function readMigrations(): Migration[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    return { name: name.slice(0, -".sql".length), text, digest: createHash("sha256").update(text).digest("hex") };
  });
}

/** Two that create it at once collide in spite of IF NOT EXISTS; hence under the lock. */
async function createLedger(client: pg.Client): Promise<void> {
  if (await isThere(client)) return;
  await alone(client, async () => {
    if (await isThere(client)) return;
    await client.query("CREATE SCHEMA IF NOT EXISTS cairn");
    await client.query(
      "CREATE TABLE cairn.migrations (name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL)",
    );
  });
}

/** By a query: inside of a transaction `to_regclass` may remember that it was not there. */
async function isThere(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = 'cairn' AND c.relname = 'migrations') AS there`,
  );
  return rows[0]!.there;
}

/** In a transaction, whose lock ends with it: behind a pooler a session is not ours for longer. */
async function alone(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [ADVISORY_LOCK]);
    await work();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

async function readLedger(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; digest: string }>("SELECT name, digest FROM cairn.migrations");
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** A database of a later release, or one whose migrations had another text, is not understood: nothing is changed. */
function strangeness(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): string | null {
  const known = new Map(migrations.map(({ name, digest }) => [name, digest]));
  for (const [name, digest] of applied) {
    if (!known.has(name)) {
      return `The database has the migration ${name} of a later release. Use that release or newer.`;
    }
    if (known.get(name) !== digest) {
      return `The migration ${name} was applied to the database with another text.`;
    }
  }
  return null;
}

async function apply(client: pg.Client, { name, text, digest }: Migration): Promise<void> {
  try {
    await alone(client, async () => {
      // Someone else may have done so while this one waited.
      if ((await readLedger(client)).has(name)) return;
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query(text);
      await client.query("INSERT INTO cairn.migrations VALUES ($1, $2, cairn.now())", [name, digest]);
    });
  } catch (error) {
    throw new MigrationRefused(`The migration ${name} failed: ${String(error)}`, { cause: error });
  }
}
