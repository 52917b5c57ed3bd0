import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { EmbeddedPostgresFailed } from "./failures.ts";
import type { Home } from "./home.ts";
import { serverEnvironment, type Program } from "./program.ts";
import { asUser, giveTo, giveTreeTo } from "./server-user.ts";

/** A database folder that a server can be started on. */
export interface Cluster {
  readonly home: Home;
  readonly program: Program;
  /** Postgres's own folder, below the home. */
  readonly data: string;
  readonly password: string;
  /** Beyond those that every server has. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface ClusterOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** For `initdb`: a test's database need not survive a power cut. */
  readonly initOptions?: readonly string[];
}

export const SUPERUSER = "cairn";

/** Makes the database folder if there is none. */
export async function openCluster(home: Home, program: Program, options: ClusterOptions = {}): Promise<Cluster> {
  const data = join(home.path, "data");
  if (!existsSync(data)) {
    await initialise(home, program, data, options.initOptions ?? []);
  } else if (home.user !== undefined && statSync(data).uid !== home.user.uid) {
    // Root has copied the folder: Postgres wants it to be its user's.
    giveTreeTo(home.user, data);
  }
  checkVersion(data, program);
  return { home, program, data, password: readPassword(home), settings: options.settings ?? {} };
}

/** Beside the place and then renamed, so that a folder that is there is whole, whatever was killed in between. */
async function initialise(home: Home, program: Program, data: string, initOptions: readonly string[]): Promise<void> {
  const unfinished = `${data}.${randomBytes(6).toString("hex")}`;
  writePassword(home);
  const args = [`--username=${SUPERUSER}`, "--auth=scram-sha-256", `--pwfile=${passwordFile(home)}`];
  try {
    await promisify(execFile)(
      join(program.bin, "initdb"),
      ["-D", unfinished, "--encoding=UTF8", "--locale=C", ...args, ...initOptions],
      { ...asUser(home.user), cwd: home.path, env: serverEnvironment() },
    );
    renameSync(unfinished, data);
    syncFolder(home.path);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process was first, and may have swept this one's folder away.
    if (existsSync(data)) return;
    throw new EmbeddedPostgresFailed("FOLDER_UNUSABLE", `Cannot make a database in ${home.path}: ${reasonOf(error)}`);
  }
  sweep(home);
}

/** What a killed `initdb` has left. */
function sweep(home: Home): void {
  for (const name of readdirSync(home.path)) {
    if (name.startsWith("data.")) rmSync(join(home.path, name), { recursive: true, force: true });
  }
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return stderr?.trim().split("\n")[0] || message;
}

function syncFolder(path: string): void {
  // Windows has no such thing.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  fsyncSync(folder);
  closeSync(folder);
}

function checkVersion(data: string, program: Program): void {
  const file = join(data, "PG_VERSION");
  const version = existsSync(file) ? Number(readFileSync(file, "utf8")) : Number.NaN;
  if (!Number.isInteger(version)) {
    throw new EmbeddedPostgresFailed(
      "FOLDER_UNUSABLE",
      `${data} is not a database of Postgres (its PG_VERSION cannot be read): restore it from a backup, or delete it to begin anew.`,
    );
  }
  if (version !== program.majorVersion) {
    throw new EmbeddedPostgresFailed(
      "FOLDER_UNUSABLE",
      `${data} was made by Postgres ${version}, and the embedded one is ${program.majorVersion}: dump it with the version ` +
        "of Cairn that made it, or delete it to begin anew.",
    );
  }
}

function passwordFile(home: Home): string {
  return join(home.path, "password");
}

/** Two processes may be here at once; the link is there whole or not at all, and once. */
function writePassword(home: Home): void {
  const file = passwordFile(home);
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600, flush: true });
  giveTo(home.user, unfinished);
  try {
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(unfinished);
  }
}

function readPassword(home: Home): string {
  const file = passwordFile(home);
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  throw new EmbeddedPostgresFailed(
    "FOLDER_UNUSABLE",
    `${file} is gone, and with it the password of the database beside it: put it back, or delete ${home.path} to begin anew.`,
  );
}

export function wrongPassword({ home }: Cluster): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    "FOLDER_UNUSABLE",
    `${passwordFile(home)} is not the password of the database beside it: put the right one back, or delete the ` +
      "folder to begin anew.",
  );
}
