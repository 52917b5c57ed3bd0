import type pg from "pg";
import { openCluster, type Cluster } from "./cluster.ts";
import { urlOf } from "./connection.ts";
import { FolderInUse } from "./failures.ts";
import { takeFolder } from "./folder-lock.ts";
import { openHome } from "./home.ts";
import { findBinaries, readyProgram } from "./program.ts";
import { reachServer, stopServer, type Server } from "./server.ts";

export { EmbeddedPostgresFailed, FolderInUse, type EmbeddedFailureCode } from "./failures.ts";

/*
 * Owns: one Postgres server, its folder and the lock on that folder.
 * Does not own: what is in the database; pools and connections of others, which must stand a restart of the server.
 *
 * I1 A folder has at most one server: Postgres's own lock file and shared memory see to that, and nothing here removes the
 *    lock file of a server that may be alive.
 * I2 A server outlives the process that started it, unless that called `stop`. Whoever comes next adopts it.
 * I3 At most one Cairn process holds the folder, by a lock that ends with the process.
 * I4 While the folder is held, a server that dies is started again under the same address.
 * I5 Only the holder stops the server.
 */

export interface EmbeddedPostgresOptions {
  /** Where the database is kept, such as `.cairn/postgres` in a project. Made if it is not there. */
  readonly folder: string;
  /** Told what happens, a line at a time. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  readonly url: string;
  /** Postgres's own folder. */
  readonly data: string;
  /** Of the server's first process; another one after a crash of the server. */
  readonly pid: number;
  /** The server was running already, left by a process that did not stop it. */
  readonly adopted: boolean;
  /** Ends all sessions and the server. Further calls wait for the same end. */
  stop(): Promise<void>;
}

/** A server that crashes again and again would be started for ever. */
const RESTARTS_MAX = 5;
const RESTARTS_WINDOW_MS = 60_000;

/** A real Postgres, without anything to install or configure: `docs/embedded-postgres.md`. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { folder, log = () => {} } = options;
  const binaries = findBinaries();
  const home = openHome(folder);
  const cluster = await openCluster(home, readyProgram(binaries, home));
  const server = await reachServer(cluster);
  const lock = await takeFolder(cluster, server, folder);
  const how = server.adopted ? "was running" : "is started";
  log(`Postgres ${how} (pid ${server.pid}, port ${server.port}), its data is in ${cluster.data}`);
  return new Supervisor(folder, log, cluster, server, lock);
}

class Supervisor implements EmbeddedPostgres {
  readonly url: string;
  readonly data: string;
  readonly adopted: boolean;
  readonly #folder: string;
  readonly #log: (line: string) => void;
  readonly #cluster: Cluster;
  #server: Server;
  #lock: pg.Client | undefined;
  #restarts: number[] = [];
  #restarting: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(folder: string, log: (line: string) => void, cluster: Cluster, server: Server, lock: pg.Client) {
    this.#folder = folder;
    this.#log = log;
    this.#cluster = cluster;
    this.#server = server;
    this.url = urlOf(cluster, server.port);
    this.data = cluster.data;
    this.adopted = server.adopted;
    this.#hold(lock);
  }

  get pid(): number {
    return this.#server.pid;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    await this.#restarting;
    const lock = this.#lock;
    this.#lock = undefined;
    // Without the lock the server is another process's by now, or gone.
    if (lock === undefined) return;
    await stopServer(this.#cluster);
    await lock.end();
    this.#log("Postgres is stopped");
  }

  #hold(lock: pg.Client): void {
    this.#lock = lock;
    // The server alone is no reason for a process to stay. (The method is missing in the types of `pg`.)
    (lock as pg.Client & { unref(): void }).unref();
    lock.once("end", () => {
      if (this.#lock !== lock) return;
      this.#lock = undefined;
      this.#restarting = this.#restart();
    });
  }

  async #restart(): Promise<void> {
    const now = Date.now();
    this.#restarts = [...this.#restarts.filter((time) => time > now - RESTARTS_WINDOW_MS), now];
    if (this.#restarts.length > RESTARTS_MAX) {
      this.#log(`Postgres has ended ${this.#restarts.length} times within a minute: it is not started again`);
      return;
    }
    this.#log(`Postgres has ended (pid ${this.pid}): it is started again`);
    try {
      this.#server = await reachServer(this.#cluster, this.#server.port);
      this.#hold(await takeFolder(this.#cluster, this.#server, this.#folder));
      this.#log(`Postgres is back (pid ${this.pid})`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log(error instanceof FolderInUse ? reason : `Postgres could not be started again: ${reason}`);
    }
  }
}
