import { openCluster } from "./cluster.ts";
import { urlOf } from "./connection.ts";
import { FolderInUse } from "./failures.ts";
import { takeFolder } from "./folder-lock.ts";
import { openHome } from "./home.ts";
import { findBinaries, readyProgram } from "./program.ts";
import { reachServer, stopServer } from "./server.ts";

/** Does something with the database of a folder, beside the process that holds it, if there is one; else the server is there for this alone. */
export async function visitEmbedded<T>(folder: string, use: (url: string) => Promise<T>): Promise<T> {
  const home = openHome(folder);
  const cluster = await openCluster(home, readyProgram(findBinaries(), home));
  const server = await reachServer(cluster);
  const url = urlOf(cluster, server.port);
  const lock = await takeFolder(cluster, server, folder).catch((error: unknown) => {
    if (error instanceof FolderInUse) return null;
    throw error;
  });
  if (lock === null) return use(url);
  try {
    return await use(url);
  } finally {
    await stopServer(cluster);
    await lock.end();
  }
}
