import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CreatedKey } from "@cairnjs/schemas/rest";
import { makeKey, type WantedKey } from "../access/api-keys.ts";
import { checkDatabase } from "../database/check-database.ts";
import { visitEmbedded } from "../embedded/visit-embedded.ts";
import { createdKey } from "../http/key-views.ts";
import { openConnection } from "../store/connection.ts";
import type { ApiKey } from "../store/api-keys.ts";
import { type NewAuditEntry, writeAudit } from "../store/audit-log.ts";
import { migrate } from "../store/migrate.ts";
import { pooledUrl } from "../store/pooled-url.ts";

/** An address, or the folder of the Postgres that Cairn brings. */
export type WhereKeysAre = { readonly databaseUrl: string } | { readonly folder: string };

/** For operators, who need one key before they can ask a control plane for others. */
export async function createKeyDirectly(where: WhereKeysAre, wanted: WantedKey): Promise<CreatedKey> {
  if ("databaseUrl" in where) return create(where.databaseUrl, wanted);
  const folder = join(where.folder, "postgres");
  // A key of a database that nobody uses would help nobody.
  if (!existsSync(folder)) throw new NoDatabase(where.folder);
  return visitEmbedded(folder, (url) => create(url, wanted));
}

export class NoDatabase extends Error {
  override name = "NoDatabase";

  constructor(folder: string) {
    super(`There is no database in ${folder}: give its address (DATABASE_URL), or start cairn in this folder first`);
  }
}

const WHO = "the command line";

/** Nobody was asked who he is: it is written down that it was done. */
function entryOf({ id, namespace, name, scopes }: ApiKey): NewAuditEntry {
  return {
    namespace: namespace ?? "default",
    who: WHO,
    keyId: null,
    action: "key.create",
    subject: id,
    runId: null,
    detail: JSON.stringify({ name, scopes }),
    status: 201,
    via: "direct",
    address: null,
  };
}

async function create(databaseUrl: string, wanted: WantedKey): Promise<CreatedKey> {
  const { pooled } = await checkDatabase(databaseUrl);
  const url = pooled ? pooledUrl(databaseUrl) : databaseUrl;
  await migrate(url);
  const client = await openConnection(url, "keys");
  try {
    const made = await makeKey(client, wanted, WHO);
    await writeAudit(client, [entryOf(made.about)]);
    return createdKey(made);
  } finally {
    await client.end();
  }
}
