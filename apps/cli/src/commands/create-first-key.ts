import {
  createKeyDirectly,
  DatabaseUnusable,
  EmbeddedPostgresFailed,
  MigrationRefused,
  NoDatabase,
} from "@cairnjs/control-plane/operator";
import { Name, Namespace } from "@cairnjs/schemas";
import { CannotRun } from "../cannot-run.ts";
import type { Output } from "../output/output.ts";
import type { Environment } from "../settings/known-settings.ts";
import { type CreateKeyFlags, expiryOf, scopesOf, tellCreated } from "./keys.ts";

/** `cairn keys create NAME --direct`: in the database, for who has no key yet. */
export async function createFirstKey(
  name: string,
  flags: CreateKeyFlags,
  env: Environment,
  output: Output,
): Promise<number> {
  const expiresAt = expiryOf(flags.expires);
  const url = env["DATABASE_URL"]?.trim() ?? "";
  const where = url === "" ? { folder: env["CAIRN_FOLDER"]?.trim() || ".cairn" } : { databaseUrl: url };
  const namespace = env["CAIRN_NAMESPACE"]?.trim() || null;
  if (!Name.safeParse(name).success) throw new CannotRun("the name of a key has 1 to 500 characters");
  if (namespace !== null && !Namespace.safeParse(namespace).success) {
    throw new CannotRun(`${JSON.stringify(namespace)} cannot be a namespace`);
  }
  const wanted = {
    name,
    namespace,
    scopes: scopesOf(flags.scopes ?? "admin,worker"),
    expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
  };
  try {
    tellCreated(await createKeyDirectly(where, wanted), flags, output);
    return 0;
  } catch (error) {
    if (!EXPECTED.some((each) => error instanceof each)) throw error;
    throw new CannotRun((error as Error).message, { cause: error });
  }
}

const EXPECTED = [DatabaseUnusable, EmbeddedPostgresFailed, MigrationRefused, NoDatabase] as const;
