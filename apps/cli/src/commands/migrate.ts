import {
  databaseMigrations,
  DatabaseUnusable,
  type MigratedDatabase,
  migrateDatabase,
  MigrationRefused,
  type MigrationState,
} from "@cairnjs/control-plane/operator";
import { CannotRun } from "../cannot-run.ts";
import type { Output } from "../output/output.ts";
import type { Environment } from "../settings/known-settings.ts";

export interface MigrateFlags {
  readonly status?: true;
  readonly json?: true;
}

/** `cairn migrate`: brings the database to what this release needs; `--status`: 1 if it is not. */
export async function migrateCommand(flags: MigrateFlags, env: Environment, output: Output): Promise<number> {
  const url = databaseUrl(env);
  try {
    return flags.status === true
      ? tellState(await databaseMigrations(url), flags, output)
      : tellMade(await migrateDatabase(url), flags, output);
  } catch (error) {
    if (!(error instanceof DatabaseUnusable) && !(error instanceof MigrationRefused)) throw error;
    throw new CannotRun(error.message, { cause: error });
  }
}

export function databaseUrl(env: Environment): string {
  const url = env["DATABASE_URL"]?.trim() ?? "";
  if (url === "") throw new CannotRun("give the address of Postgres: DATABASE_URL or --database-url");
  return url;
}

function tellState(state: MigrationState, flags: MigrateFlags, output: Output): number {
  const { applied, missing, strange } = state;
  if (flags.json === true) output.line(JSON.stringify(state));
  else {
    for (const name of applied) output.line(`${output.paint("green", "✓")} ${name}`);
    for (const name of missing) output.line(`${output.paint("yellow", "…")} ${name}  missing`);
    if (strange !== null) output.problem(strange);
  }
  return missing.length === 0 && strange === null ? 0 : 1;
}

function tellMade(state: MigratedDatabase, flags: MigrateFlags, output: Output): number {
  if (flags.json === true) output.line(JSON.stringify(state));
  else if (state.made.length === 0) output.line("nothing was missing");
  else for (const name of state.made) output.line(`${output.paint("green", "✓")} ${name}`);
  return 0;
}
