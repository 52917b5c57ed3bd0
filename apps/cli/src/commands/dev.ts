import { randomBytes } from "node:crypto";
import { type ControlPlaneOptions, isLoopback } from "@cairnjs/control-plane";
import { SCOPES } from "@cairnjs/schemas";
import { asked, listItems, ModulesFailed } from "@cairnjs/worker";
import { FileChanges } from "../checking/file-changes.ts";
import { DevModules } from "../dev/dev-modules.ts";
import { DevWorkers } from "../dev/dev-workers.ts";
import { guardPostgres } from "../dev/guard.ts";
import { newsLine, newsText } from "../dev/run-news.ts";
import { logSettings } from "../settings/log-settings.ts";
import { type Log, openLog } from "../output/log.ts";
import type { Output } from "../output/output.ts";
import { controlPlaneOptions } from "../settings/control-plane-settings.ts";
import { withMasterKey, withoutMasterKeys } from "../settings/master-key.ts";
import { readEnvironment } from "../settings/config-file.ts";
import { CONTROL_PLANE_SETTINGS, type Environment, WORKER_SETTINGS } from "../settings/known-settings.ts";
import { openPlane, tellPlane } from "./start.ts";

export interface DevFlags {
  readonly json?: true;
}

/** `cairn dev [FILES]`: everything that a project needs while it is written, until it is asked to end. */
export async function devCommand(
  files: readonly string[],
  flags: DevFlags,
  environment: Environment,
  output: Output,
): Promise<number> {
  const isJson = flags.json === true;
  const env = withoutTls(await readEnvironment(environment, [...CONTROL_PLANE_SETTINGS, ...WORKER_SETTINGS], flags));
  const log = openLog(isJson, { ...logSettings(env), format: "text" }, output);
  const ending = asked();
  const { options, access } = secured(env, controlPlaneOptions(withMasterKey(env)));
  const plane = await openPlane(options, log);
  tellPlane(plane, options, env, log);
  const guard = plane.embedded === null ? null : guardPostgres(plane.embedded);
  const workers = new DevWorkers({
    plane,
    env: { ...workerEnvironment(env, plane.port, files), ...access },
    isJson,
    log,
  });
  try {
    const feed = await plane.watchRuns((news) => output.line(isJson ? newsLine(news) : newsText(news, output)));
    const modules = new DevModules(given(files, env), isJson, output);
    // It goes on until the process ends, unless files cannot be watched.
    const signal = await Promise.race([ending, watch(modules, workers, log)]);
    log.info(`${signal}: ends`);
    await workers.close();
    await feed.close();
    return 0;
  } finally {
    await workers.close();
    await plane.close();
    guard?.release();
  }
}

/** It would be spoken by a process with itself. */
function withoutTls({
  CAIRN_TLS_CA: _ca,
  CAIRN_TLS_CERT: _cert,
  CAIRN_TLS_KEY: _key,
  CAIRN_TLS_CLIENTS: _clients,
  ...env
}: Environment): Environment {
  return env;
}

/** Files that were given count more than the variable, as for `cairn worker`. */
function given(files: readonly string[], env: Environment): readonly string[] | null {
  const said = files.length > 0 ? files : listItems(env["CAIRN_MODULES"] ?? "");
  return said.length === 0 ? null : said;
}

/** Off where only this machine is listened to and nobody was given a token; else the worker has one of its own, unless there is one for it. */
function secured(
  env: Environment,
  options: ControlPlaneOptions,
): { readonly options: ControlPlaneOptions; readonly access: Environment } {
  const { tokens = [] } = options;
  const security = options.security ?? !(tokens.length === 0 && isLoopback(env["CAIRN_HOST"] || "127.0.0.1"));
  if (!security) return { options: { ...options, security }, access: {} };
  const own = env["CAIRN_NAMESPACE"] || "default";
  const fitting = tokens.find(({ namespace = own, scopes = SCOPES }) => namespace === own && scopes.includes("worker"));
  if (fitting !== undefined) return { options: { ...options, security }, access: only(fitting.token) };
  const token = randomBytes(32).toString("hex");
  const made = [...tokens, { token, namespace: own, scopes: ["worker"] as const }];
  return { options: { ...options, security, tokens: made }, access: only(token) };
}

/** A key of the shell's is for the control plane that people usually ask, and would count more. */
function only(token: string): Environment {
  return { CAIRN_KEY: "", CAIRN_TOKEN: token };
}

/** All settings of the worker's, and where the control plane is. Here it serves everything: there is no other one. */
function workerEnvironment(env: Environment, port: number, files: readonly string[]): Environment {
  return {
    ...withoutMasterKeys(env),
    CONTROL_PLANE_GRPC_URL: `${hostOf(env)}:${port}`,
    CAIRN_TYPE_PREFIXES: env["CAIRN_TYPE_PREFIXES"] || "*",
    // However long it takes: who writes code does not want a call to be made again because of it.
    CAIRN_WORKER_DRAIN_MS: String(2 ** 31 - 1),
    ...(files.length === 0 ? {} : { CAIRN_MODULES: files.join(",") }),
  };
}

function hostOf(env: Environment): string {
  const host = env["CAIRN_HOST"] || "127.0.0.1";
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Checks what changes, and starts another worker with it if nothing is wrong. */
async function watch(modules: DevModules, workers: DevWorkers, log: Log): Promise<never> {
  const changes = await FileChanges.open(["."]);
  let changed: ReadonlySet<string> | null = null;
  for (;;) {
    try {
      if (await modules.check(changed)) void workers.replace();
      else if (workers.isRunning) log.info("The worker goes on with the code from before");
    } catch (error) {
      // There may be some after the next change.
      if (!(error instanceof ModulesFailed)) throw error;
      log.warn(error.message);
    }
    changes.follow(modules.followed());
    changed = await changes.next();
  }
}
