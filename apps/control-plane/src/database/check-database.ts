import pg from "pg";
import { connectionProblem, type Target } from "./connection-problem.ts";
import { DatabaseUnusable } from "./database-unusable.ts";

export { DatabaseUnusable, type DatabaseProblem } from "./database-unusable.ts";

const VERSION_MIN = 13;
const ANSWER_LIMIT_MS = 10_000;

export interface DatabaseFacts {
  /** Whether a pooler stands before it, which may give each transaction another session. */
  readonly pooled: boolean;
}

/** Looks before anything is written: what cannot work is refused in one line, a `DatabaseUnusable`. */
export async function checkDatabase(url: string, answerLimitMs: number = ANSWER_LIMIT_MS): Promise<DatabaseFacts> {
  const client = clientFor(url, answerLimitMs);
  const target = { host: client.host, port: client.port, user: client.user ?? "", database: client.database ?? "" };
  client.on("error", () => {});
  try {
    await client.connect();
    await checkVersion(client, target);
    await checkWritable(client, target);
    await checkRights(client, target);
    return { pooled: await isBehindPooler(client) };
  } catch (error) {
    throw error instanceof DatabaseUnusable ? error : connectionProblem(error, target);
  } finally {
    // After a failure to connect there may be nothing that answers this.
    client.end().catch(() => {});
  }
}

/** Nothing of the URL is in the messages: whoever mistypes it may have put the password anywhere. */
function clientFor(url: string, answerLimitMs: number): pg.Client {
  if (!/^postgres(ql)?:\/\//.test(url)) throw malformed("it does not begin with postgres://");
  try {
    return new pg.Client({
      connectionString: url,
      application_name: "cairn",
      connectionTimeoutMillis: answerLimitMs,
      query_timeout: answerLimitMs,
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw malformed(code === "ENOENT" ? message : "it cannot be read");
  }
}

function malformed(reason: string): DatabaseUnusable {
  return new DatabaseUnusable(
    "MALFORMED_URL",
    `The database's URL is not one (${reason}): write postgres://user:password@host:5432/database, and in the password ` +
      "encode characters such as @ : / ? # % (@ is %40).",
  );
}

/**
 * `listenUrl` must lead to a session of its own: behind a pooler, LISTEN is refused, or its notifications reach whoever
 * has the session then.
 */
export async function checkListenUrl(url: string): Promise<void> {
  if (!(await checkDatabase(url)).pooled) return;
  const { host, port } = clientFor(url, ANSWER_LIMIT_MS);
  throw new DatabaseUnusable(
    "POOLER_REFUSED",
    `The address for LISTEN (listenUrl, CAIRN_LISTEN_URL) leads to a pooler on ${host}:${port}: give Postgres's own, or none.`,
  );
}

/** Poolers make up the process number that a client is told, since it is to have many. */
async function isBehindPooler(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]!.pid !== (client as pg.Client & { readonly processID: number }).processID;
}

async function checkVersion(client: pg.Client, { host, port }: Target): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  const version = rows[0]!.server_version;
  if (Number.parseInt(version, 10) >= VERSION_MIN) return;
  throw new DatabaseUnusable(
    "TOO_OLD",
    `The database on ${host}:${port} is Postgres ${version}, and Cairn needs ${VERSION_MIN} or later: upgrade it, or use another.`,
  );
}

async function checkWritable(client: pg.Client, { host, port, user, database }: Target): Promise<void> {
  const { rows } = await client.query<{ standby: boolean; readonly: string }>(
    "SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS readonly",
  );
  const { standby, readonly } = rows[0]!;
  if (standby) {
    throw new DatabaseUnusable(
      "READ_ONLY",
      `The database on ${host}:${port} is a standby, which is read-only: give the address of its primary.`,
    );
  }
  if (readonly === "on") {
    throw new DatabaseUnusable(
      "READ_ONLY",
      `Transactions of user '${user}' in database '${database}' on ${host}:${port} are read-only: set ` +
        "default_transaction_read_only to off for it, or use another.",
    );
  }
}

async function checkRights(client: pg.Client, { host, port, user, database }: Target): Promise<void> {
  const { rows } = await client.query<{ usable: boolean | null; creatable: boolean }>(
    `SELECT has_schema_privilege(to_regnamespace('cairn')::oid, 'USAGE') AS usable,
            has_database_privilege(current_database(), 'CREATE') AS creatable`,
  );
  const { usable, creatable } = rows[0]!;
  if (usable === false) {
    throw new DatabaseUnusable(
      "NO_RIGHT",
      `User '${user}' may not use schema 'cairn' of database '${database}' on ${host}:${port}: let its owner run Cairn, or ` +
        `GRANT ALL ON SCHEMA cairn TO ${pg.escapeIdentifier(user)}.`,
    );
  }
  if (usable === null && !creatable) {
    throw new DatabaseUnusable(
      "NO_RIGHT",
      `User '${user}' may not create schema 'cairn' in database '${database}' on ${host}:${port}: ` +
        `GRANT CREATE ON DATABASE ${pg.escapeIdentifier(database)} TO ${pg.escapeIdentifier(user)}, or use another user.`,
    );
  }
}
