import {
  CannotListen,
  type ControlPlane,
  type ControlPlaneOptions,
  DatabaseUnusable,
  EmbeddedPostgresFailed,
  EngineError,
  FolderInUse,
  MigrationRefused,
  openControlPlane,
} from "@cairnjs/control-plane";
import { warnOfKeyFiles } from "@cairnjs/control-plane/operator";
import { asked } from "@cairnjs/worker";
import { logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { CannotRun } from "../cannot-run.ts";
import { guardPostgres } from "../dev/guard.ts";
import { type Log, openLog } from "../output/log.ts";
import type { Output } from "../output/output.ts";
import { watchCertificates } from "../settings/certificate-watch.ts";
import { controlPlaneOptions } from "../settings/control-plane-settings.ts";
import { logSettings } from "../settings/log-settings.ts";
import { readEnvironment } from "../settings/config-file.ts";
import { CONTROL_PLANE_SETTINGS, type Environment } from "../settings/known-settings.ts";
import { nextCommands } from "./next-commands.ts";

export interface StartFlags {
  readonly json?: true;
  /** By `--no-migrate`. */
  readonly migrate: boolean;
}

/** `cairn start`: a control plane, until it is asked to end. */
export async function startCommand(flags: StartFlags, environment: Environment, output: Output): Promise<number> {
  const env = await readEnvironment(environment, CONTROL_PLANE_SETTINGS, flags);
  const log = openLog(flags.json === true, logSettings(env), output);
  const options = controlPlaneOptions(env);
  const plane = await openPlane({ ...options, migrate: flags.migrate }, log);
  const ending = asked();
  const guard = plane.embedded === null ? null : guardPostgres(plane.embedded);
  tellPlane(plane, options, env, log);
  const renewing = options.tls === undefined ? null : watchCertificates(plane, env, log);
  log.info("Try next, in a folder with workflows or actions:");
  for (const command of nextCommands(plane.port, options, hostIn(env))) log.info(`  ${command}`);
  const signal = await ending;
  renewing?.stop();
  log.info(`${signal}: runs are handed over; a second signal ends at once`);
  await plane.close();
  guard?.release();
  return 0;
}

/** What keeps it from opening is told in one line. */
export async function openPlane(options: ControlPlaneOptions, log: Log): Promise<ControlPlane> {
  // What it would write beside our line says less.
  setLogVerbosity(logVerbosity.NONE);
  try {
    return await openControlPlane({
      ...options,
      onLog: (line) => log.info(line),
      onWarning: (message, error, about) => log.warn(message, error, about),
    });
  } catch (error) {
    if (error instanceof CannotListen) {
      const [name, flag] = error.server === "gRPC" ? ["GRPC_PORT", "--grpc-port"] : ["API_PORT", "--port"];
      throw new CannotRun(`${error.message}; give another one by ${name} or ${flag}`, { cause: error });
    }
    if (EXPECTED.some((each) => error instanceof each)) throw new CannotRun((error as Error).message, { cause: error });
    throw error;
  }
}

const EXPECTED = [DatabaseUnusable, EmbeddedPostgresFailed, FolderInUse, EngineError, MigrationRefused] as const;

export function tellPlane(
  { id, port, httpPort, databaseUrl }: ControlPlane,
  { tls, httpTls = true }: ControlPlaneOptions,
  env: Environment,
  log: Log,
): void {
  const host = hostIn(env);
  const database = shownDatabase(databaseUrl);
  const isEmbedded = !env["DATABASE_URL"];
  log.info(`The control plane ${id} is ready`, { controlPlane: id, host, grpcPort: port, httpPort, database });
  log.info(`  gRPC      ${host}:${port}  for workers and clients`);
  log.info(
    `  HTTP      ${tls !== undefined && httpTls ? "https" : "http"}://${host}:${httpPort}  /v1, /health, /ready, /metrics`,
  );
  log.info(`  Postgres  ${database}${isEmbedded ? `  in ${env["CAIRN_FOLDER"] || ".cairn"}` : ""}`);
  warnOfKeyFiles(env, (message, error) => log.warn(message, error));
}

function hostIn(env: Environment): string {
  return env["CAIRN_HOST"] || "127.0.0.1";
}

/** Host, port and name, and nothing else of it: there is a password in it. */
function shownDatabase(url: string): string {
  if (!URL.canParse(url)) return "as DATABASE_URL says";
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || "5432"}${pathname}`;
}
