import pg from "pg";
import { isPooled } from "./pooled-url.ts";
import { PooledClient, type PooledClientConfig } from "./pooled-client.ts";

/** Numbers of Postgres types whose values we read otherwise than `pg` does. */
const INT8 = 20;
const JSON_TYPE = 114;
const TIMESTAMPTZ = 1184;

const otherParser = pg.types.getTypeParser as (oid: number, format?: "text" | "binary") => (text: string) => unknown;

/** An SQLSTATE, of the class of lost connections. */
const TRANSACTION_RESOLUTION_UNKNOWN = "08007";

/** Values stay text: they are decoded by the codec alone. Times are milliseconds since the epoch. */
function parserOf(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  switch (oid) {
    case INT8:
      return Number;
    case JSON_TYPE:
      return (text) => text;
    case TIMESTAMPTZ:
      return (text) => Date.parse(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
    default:
      return otherParser(oid, format);
  }
}

/**
 * Every statement of ours finds its rows by an index, whatever the planner thinks of tables that were empty when it last
 * looked: it took a scan of all of `runs` and a hash join for 1,000 ended runs, 62 ms instead of 20. In the order of the
 * index: it read and sorted all 200,000 letters of a run for the first 1,000.
 */
const SETTINGS: readonly string[] = [
  "TimeZone=UTC",
  "search_path=pg_catalog",
  "jit=off",
  "plan_cache_mode=force_generic_plan",
  "enable_seqscan=off",
  "enable_bitmapscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
];

/**
 * A connection of the engine's. Queries are pipelined: each is a transaction of its own unless it says otherwise, and
 * they are answered in the order they were asked. `settings` are further ones, as `name=value`.
 */
export async function openConnection(
  url: string,
  purpose: string,
  settings: readonly string[] = [],
): Promise<pg.Client> {
  const config = { ...configuration(url, purpose), pipeline: true };
  const all = [...SETTINGS, ...settings];
  const client = isPooled(url)
    ? new PooledClient({ ...config, settings: all })
    : new pg.Client({ ...config, options: startupOptions(all) });
  // Without a listener a broken idle connection ends the process; queries on it fail, and that is where it is noticed.
  client.on("error", () => {});
  breakOffWhenUncertain(client);
  await client.connect();
  return client;
}

const POOL_SIZE = 4;

/** Connections for what people ask: one that breaks is replaced by the next query. */
export function openPool(url: string, purpose: string, size: number = POOL_SIZE): pg.Pool {
  const config = { ...configuration(url, purpose), max: size };
  // The pool makes its clients with what it was made with.
  const Client = PooledClient as unknown as new () => pg.ClientBase;
  const pooled: PooledClientConfig & pg.PoolConfig = { ...config, Client, settings: SETTINGS };
  const pool = new pg.Pool(isPooled(url) ? pooled : { ...config, options: startupOptions(SETTINGS) });
  pool.on("error", () => {});
  pool.on("connect", breakOffWhenUncertain);
  return pool;
}

/**
 * A commit that somebody has not let wait for a synchronous standby is answered as if all were well, with a notice before
 * the answer: should the standby take over, what was committed is not there. So it is as if the answer had never come. The
 * notice is known by the function of Postgres that sends it, since its text may be in any language.
 */
function breakOffWhenUncertain(client: pg.ClientBase): void {
  client.on("notice", ({ routine, message }) => {
    if (routine !== "SyncRepWaitForLSN") return;
    const { connection } = client as unknown as { readonly connection: pg.Connection };
    const error = Object.assign(new Error(message), { code: TRANSACTION_RESOLUTION_UNKNOWN });
    // Fails what was asked at once: the answer stands behind the notice.
    connection.emit("error", error);
    connection.stream.destroy();
  });
}

/** Poolers do not pass them on. */
function startupOptions(settings: readonly string[]): string {
  return settings.map((setting) => `-c ${setting}`).join(" ");
}

function configuration(url: string, purpose: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: `cairn ${purpose}`,
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  };
}

/** Whether an error says that the connection is gone or cannot be had, and nothing about the statement. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (/^(E(?!RR_)[A-Z_]+|08...|57P..|53300)$/.test(code)) return true;
  if (code !== "") return false;
  return /^(Connection terminated|Client (has encountered|was closed)|timeout (expired|exceeded))/.test(error.message);
}
