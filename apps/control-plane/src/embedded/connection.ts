import { rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { SUPERUSER, type Cluster } from "./cluster.ts";

const HOST = "127.0.0.1";
const DATABASE = "postgres";
const CONNECT_LIMIT_MS = 5_000;

/** `sslmode`: the environment must not make clients ask for TLS, which a server on loopback does not have. */
export function urlOf(cluster: Cluster, port: number): string {
  return `postgres://${SUPERUSER}:${cluster.password}@${HOST}:${port}/${DATABASE}?sslmode=disable`;
}

export async function connectTo(cluster: Cluster, port: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: urlOf(cluster, port),
    application_name: `cairn ${process.pid}`,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // A lost connection is news for whoever listens to `end`; without a listener, `error` would end the process.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/**
 * Whether the server on this port is that of the folder (`refused`: it may be, but the password is not its own). It knows the password, and sees a file that was put there just now.
 * Paths prove less: folders are renamed and copied beneath a running server.
 */
export async function servesFolder(cluster: Cluster, port: number): Promise<boolean | "refused"> {
  const name = `cairn-${randomBytes(8).toString("hex")}`;
  const file = join(cluster.data, name);
  let client: pg.Client | undefined;
  try {
    client = await connectTo(cluster, port);
    writeFileSync(file, "");
    const { rows } = await client.query<{ seen: boolean }>(
      "SELECT (pg_stat_file($1, true)).modification IS NOT NULL AS seen",
      [name],
    );
    return rows[0]!.seen;
  } catch (error) {
    return (error as { code?: string }).code === "28P01" ? "refused" : false;
  } finally {
    rmSync(file, { force: true });
    await client?.end();
  }
}
