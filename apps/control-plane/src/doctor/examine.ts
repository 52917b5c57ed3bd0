import { checkDatabase, DatabaseUnusable } from "../database/check-database.ts";
import { openConnection } from "../store/connection.ts";
import { migrationState } from "../store/migrate.ts";
import { pooledUrl } from "../store/pooled-url.ts";
import type { Queryable } from "../store/statement.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { checkOutbox, checkRetention, checkSchedules, checkSubscribers } from "./duty-checks.ts";
import { checkLive } from "./live-checks.ts";
import { checkMasterKey } from "./master-key-check.ts";
import { checkOwners, checkStuck, checkUnserved } from "./run-checks.ts";
import { checkClock, checkRights, checkTransactions, checkVersion } from "./server-checks.ts";
import { checkBloat, checkMigrations, checkPartitions } from "./table-checks.ts";

/** A database that does not answer is a finding too. */
const STATEMENT_MS_MAX = 30_000;

/** What cannot be looked at without the tables. */
const OF_TABLES: readonly ((client: Queryable) => Promise<Finding>)[] = [
  checkRights,
  checkPartitions,
  checkBloat,
  checkOwners,
  checkStuck,
  checkUnserved,
  checkSchedules,
  checkOutbox,
  checkSubscribers,
  checkRetention,
  checkLive,
];

/** Looks at everything that is known to go wrong with a database, and changes nothing. `env`: in which a master key may be. */
export async function examineDatabase(url: string, localNow: () => number, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  let pooled: boolean;
  try {
    ({ pooled } = await checkDatabase(url));
  } catch (error) {
    if (error instanceof DatabaseUnusable) return [problem("connection", error.message)];
    throw error;
  }
  const client = await openConnection(pooled ? pooledUrl(url) : url, "doctor");
  try {
    await client.query(`SET statement_timeout = ${STATEMENT_MS_MAX}`);
    const state = await migrationState(client);
    const findings = [await checkVersion(client)];
    if (pooled) findings.push(ok("pooler", "A pooler stands before it"));
    findings.push(await checkClock(client, localNow), checkMigrations(state), await checkTransactions(client));
    if (state.strange !== null || state.missing.length > 0) return findings;
    for (const check of OF_TABLES) findings.push(await check(client));
    findings.push(await checkMasterKey(client, env));
    return findings;
  } finally {
    await client.end();
  }
}
