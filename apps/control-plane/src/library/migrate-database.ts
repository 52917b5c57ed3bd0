import { checkDatabase } from "../database/check-database.ts";
import { migrate, type MigrationState, migrationStatus } from "../store/migrate.ts";
import { pooledUrl } from "../store/pooled-url.ts";

/** What a migration has done. */
export interface MigratedDatabase extends MigrationState {
  /** Those that were missing before. */
  readonly made: readonly string[];
}

/** For operators, who would rather do so before the processes start: `cairn start` does the same. */
export async function migrateDatabase(databaseUrl: string): Promise<MigratedDatabase> {
  const url = await usable(databaseUrl);
  const { missing } = await migrationStatus(url);
  await migrate(url);
  return { ...(await migrationStatus(url)), made: missing };
}

/** What a migration would do; nothing is changed. */
export async function databaseMigrations(databaseUrl: string): Promise<MigrationState> {
  return migrationStatus(await usable(databaseUrl));
}

async function usable(databaseUrl: string): Promise<string> {
  const { pooled } = await checkDatabase(databaseUrl);
  return pooled ? pooledUrl(databaseUrl) : databaseUrl;
}
