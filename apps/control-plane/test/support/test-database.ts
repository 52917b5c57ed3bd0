import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { urlOf } from "../../src/embedded/connection.ts";
import { reachServer } from "../../src/embedded/server.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openTestCluster } from "./test-server.ts";

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

const TEMPLATE = "cairn_template";
/** By files: through the log, as is usual from version 15 on, it takes twice as long, and far longer where several do so at once. */
const BY_FILES = process.env["CAIRN_TEST_POSTGRES"] === "13" ? "" : "STRATEGY file_copy";

/** A database of the test's own with all migrations applied, on the server of this run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await testServer();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await runOn(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} ${BY_FILES}`);
  return {
    url: databaseUrl(server, name),
    drop: () => runOn(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/**
 * The address of the Postgres that the tests of this run share, with an empty database `postgres`. Test files run in
 * processes of their own: the one that makes the folder starts the server, the others wait for what it writes there.
 */
export async function testServer(): Promise<string> {
  const folder = join(inject("cairnTestRun"), "shared");
  const answer = join(folder, "answer.json");
  if (isFirst(folder)) {
    const outcome = await startShared(folder).then(
      (url) => ({ url }),
      (error: unknown) => ({ error: String(error) }),
    );
    writeFileSync(`${answer}.new`, JSON.stringify(outcome));
    renameSync(`${answer}.new`, answer);
  }
  for (;;) {
    const outcome = readAnswer(answer);
    if (outcome?.url !== undefined) return outcome.url;
    if (outcome?.error !== undefined) throw new Error(`the Postgres of this test run did not start: ${outcome.error}`);
    await delay(10);
  }
}

export function databaseUrl(server: string, database: string): string {
  return Object.assign(new URL(server), { pathname: `/${database}` }).href;
}

/** One statement on a connection of its own. */
export async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function startShared(folder: string): Promise<string> {
  const cluster = await openTestCluster(join(folder, "postgres"));
  const { port } = await reachServer(cluster);
  const url = urlOf(cluster, port);
  await runOn(url, `CREATE DATABASE ${TEMPLATE}`);
  await migrate(databaseUrl(url, TEMPLATE));
  return url;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readAnswer(file: string): { url?: string; error?: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { url?: string; error?: string };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
