import { spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { onTestFinished } from "vitest";
import { until } from "./test-engine.ts";
import { temporaryFolder } from "./test-run.ts";

export interface TestPgbouncer {
  /** The address given, through the pooler. */
  readonly url: string;
  /** Ends all its connections, as when it is updated, and begins again under the same address. */
  restart(): Promise<void>;
}

export interface PgbouncerOptions {
  readonly mode?: "transaction" | "session";
  /** Sessions of Postgres that all clients share. */
  readonly sessions?: number;
  readonly settings?: readonly string[];
}

/** It refuses to run as root. */
const NOBODY = 65_534;

/** The real pgbouncer, which must be installed (`apt-get install pgbouncer`), before the database of a test. */
export async function startPgbouncer(databaseUrl: string, options: PgbouncerOptions = {}): Promise<TestPgbouncer> {
  const { hostname, port: behind, username, password, pathname } = new URL(databaseUrl);
  const { mode = "transaction", sessions = 4, settings = [] } = options;
  const folder = temporaryFolder("pgbouncer");
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${behind} user=${username} password=${password}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${sessions}`,
    "max_client_conn = 500",
    ...settings,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  chmodSync(folder, 0o755);
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  let stop = await start(file, url);
  onTestFinished(() => stop());
  return {
    url,
    restart: async () => {
      await stop();
      stop = await start(file, url);
    },
  };
}

async function start(file: string, url: string): Promise<() => Promise<void>> {
  const isRoot = process.getuid?.() === 0;
  const bouncer = spawn("pgbouncer", ["--quiet", file], {
    stdio: ["ignore", "ignore", "inherit"],
    // Where Debian has it, which is not on the path of everybody.
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` },
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let failure: Error | null = null;
  const gone = new Promise<void>((resolve) => {
    bouncer.on("error", (error) => {
      failure = new Error(`pgbouncer cannot be started, is it installed? ${error.message}`);
      resolve();
    });
    bouncer.on("exit", (code) => {
      failure ??= new Error(`pgbouncer ended with ${code}`);
      resolve();
    });
  });
  await until(async () => {
    if (failure !== null) throw failure;
    return answers(url);
  });
  return async () => {
    bouncer.kill("SIGKILL");
    await gone;
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return false;
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
