import { checkDatabase } from "../database/check-database.ts";
import { openConnection } from "../store/connection.ts";
import { changeIncarnation, type ChangedIncarnation } from "../store/incarnation.ts";
import { migrate } from "../store/migrate.ts";
import { pooledUrl } from "../store/pooled-url.ts";

/** For operators, once after a database was restored from a backup, and before anything runs on it. */
export async function declareRestored(databaseUrl: string): Promise<ChangedIncarnation> {
  const { pooled } = await checkDatabase(databaseUrl);
  const url = pooled ? pooledUrl(databaseUrl) : databaseUrl;
  // The backup may be one of an earlier release.
  await migrate(url);
  const client = await openConnection(url, "restored");
  try {
    return await changeIncarnation(client);
  } finally {
    await client.end();
  }
}
