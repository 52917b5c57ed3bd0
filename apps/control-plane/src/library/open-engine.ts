import { join } from "node:path";
import { checkDatabase, checkListenUrl } from "../database/check-database.ts";
import { startEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import type { MakeRunner } from "../hub/call-runner.ts";
import { migrate, requireMigrated } from "../store/migrate.ts";
import { isPooled, pooledUrl } from "../store/pooled-url.ts";
import { openBlobFolder } from "./blob-folder.ts";
import { type CairnOptions, engineSettings, saysPooled } from "./cairn-options.ts";
import { Engine } from "./engine.ts";
import { warnOfKeyFiles } from "../secrets/key-files.ts";
import { masterKeysOf } from "../secrets/master-keys.ts";
import type { Warn } from "../warn.ts";

export interface Database {
  /** As it was given. */
  readonly url: string;
  readonly pooled: boolean;
  /** Where the files of one are that Cairn brings; null: it is someone else's. */
  readonly embedded: string | null;
  close(): Promise<void>;
}

export async function openDatabase(options: CairnOptions): Promise<Database> {
  const { databaseUrl, folder, onLog } = options;
  const url = databaseUrl ?? process.env["DATABASE_URL"];
  if (url !== undefined && url !== "") {
    const facts = await checkDatabase(url);
    return { url, pooled: facts.pooled || isPooled(url) || saysPooled(options), embedded: null, close: async () => {} };
  }
  const embedded = await startEmbeddedPostgres({
    folder: join(folder ?? ".cairn", "postgres"),
    ...(onLog === undefined ? {} : { log: onLog }),
  });
  return { url: embedded.url, pooled: false, embedded: embedded.data, close: () => embedded.stop() };
}

/** `namespace` is the one whose actions are here, or null: all, whose actions `runner` knows. */
export async function openEngine(
  database: Database,
  namespace: string | null,
  options: CairnOptions,
  runner?: MakeRunner,
): Promise<Engine> {
  const blobFolder = await openBlobFolder(options);
  const listenUrl = options.listenUrl ?? process.env["CAIRN_LISTEN_URL"] ?? "";
  if (listenUrl !== "") await checkListenUrl(listenUrl);
  const url = database.pooled ? pooledUrl(database.url) : database.url;
  // Whoever gives keys himself has read no file here.
  if (options.secrets === undefined) warnOfKeyFiles(process.env, warnOf(options));
  await (options.migrate === false ? requireMigrated(url) : migrate(url));
  return Engine.open({
    url,
    namespace,
    listenUrl: listenUrl !== "" ? listenUrl : database.pooled ? null : url,
    warn: warnOf(options),
    logger: options.logger ?? null,
    log: options.onLog ?? (() => {}),
    blobFolder,
    codec: options.codec ?? null,
    masterKeys: masterKeysOf(options.secrets),
    ...(runner === undefined ? {} : { runner }),
    ...engineSettings(options),
  });
}

/** Where warnings go. */
export function warnOf({ onWarning, logger }: CairnOptions): Warn {
  if (onWarning !== undefined) return onWarning;
  if (logger !== undefined) return (message, error, about) => logger.warn({ ...about, err: error }, message);
  return (message, error) => console.warn(`cairn: ${message}: ${String(error)}`);
}
