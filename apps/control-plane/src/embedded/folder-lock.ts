import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { wrongPassword, type Cluster } from "./cluster.ts";
import { connectTo } from "./connection.ts";
import { FolderInUse } from "./failures.ts";
import { isAlive } from "./postmaster-file.ts";
import { stopServer, type Server } from "./server.ts";

/** Two numbers that mean nothing to anybody else: "cair", "n". */
const KEY = [0x63_61_69_72, 0x6e] as const;

/** How long the server may take to notice that a killed process is gone. */
const RELEASE_LIMIT_MS = 5_000;
const POLL_MS = 10;

/**
 * One Cairn process at a time works in a folder: it holds an advisory lock of the server, on a connection that it keeps
 * open. The lock ends with the process, however that ends, and nothing on disk can be stale. A file with the number of a
 * process was the other way: it has to be judged by whoever comes next, and two who judge at once may both take it.
 */
export async function takeFolder(cluster: Cluster, server: Server, folder: string): Promise<pg.Client> {
  let client: pg.Client | undefined;
  try {
    client = await connectTo(cluster, server.port);
    await takeLock(client, folder);
    return client;
  } catch (error) {
    await client?.end();
    // Whoever holds the folder uses the server; else nobody does, and it was started for this alone.
    if (!(error instanceof FolderInUse) && !server.adopted) await stopServer(cluster);
    throw (error as { code?: string }).code === "28P01" ? wrongPassword(cluster) : error;
  }
}

async function takeLock(client: pg.Client, folder: string): Promise<void> {
  const deadline = Date.now() + RELEASE_LIMIT_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1, $2) AS taken", [...KEY]);
    if (rows[0]!.taken) return;
    const holder = await holderOf(client);
    if (holder !== undefined && (isAlive(holder.pid) || Date.now() > deadline)) {
      throw new FolderInUse(folder, holder.pid, holder.since);
    }
    await delay(POLL_MS);
  }
}

async function holderOf(client: pg.Client): Promise<{ pid: number; since: Date } | undefined> {
  const { rows } = await client.query<{ name: string; since: Date }>(
    `SELECT activity.application_name AS name, activity.backend_start AS since
       FROM pg_locks lock JOIN pg_stat_activity activity USING (pid)
      WHERE lock.locktype = 'advisory' AND lock.granted AND lock.classid = $1 AND lock.objid = $2`,
    [...KEY],
  );
  const row = rows[0];
  return row === undefined ? undefined : { pid: Number(row.name.split(" ")[1]), since: row.since };
}
