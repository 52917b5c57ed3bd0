import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import { isAlive, mayServe, readPostmasterFile } from "../../src/embedded/postmaster-file.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Everything that the tests of one `vitest run` keep on disk: whatever serves a folder in it is ended at the end. */
    cairnTestRun: string;
  }
}

const PREFIX = "cairn-test-";
const OWNER = "owner";

/** Called in the process of vitest itself. */
export function makeRunFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // Postgres's user has to get through when root runs the tests.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, OWNER), String(process.pid));
  return folder;
}

/** A folder of a test's own, gone with the run. */
export function temporaryFolder(name = "folder"): string {
  const parent = mkdtempSync(join(inject("cairnTestRun"), "t-"));
  chmodSync(parent, 0o755);
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

export async function removeRunFolder(folder: string): Promise<void> {
  // By the run's folder: a test may have renamed a server's own.
  for (const data of dataFoldersIn(folder)) await endServerOf(data, folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Runs that were killed could not clean up after themselves. */
export async function removeAbandonedRuns(): Promise<void> {
  const runs = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  for (const folder of runs.map((name) => join(tmpdir(), name))) {
    // Another run that begins just now may be at it too.
    if (isAbandoned(folder)) await removeRunFolder(folder).catch(() => {});
  }
}

/** Kills the server of a data folder, if it has one, and waits until nothing of it is left. */
export async function endServerOf(data: string, startedIn: string = data): Promise<void> {
  const file = readPostmasterFile(data);
  if (file === undefined || !mayServe(file.pid, startedIn)) return;
  process.kill(file.pid, "SIGKILL");
  while (isRunning(file.pid)) await delay(5);
}

/** Not a zombie: whoever started the server may be busy, or gone in a container whose first process reaps nobody. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Those of other users are for them to remove. */
function isAbandoned(folder: string): boolean {
  try {
    if (statSync(folder).uid !== process.getuid?.()) return false;
    return !isAlive(Number(readFileSync(join(folder, OWNER), "utf8")));
  } catch {
    return false;
  }
}

/** Does not look into them: their servers make and remove files. */
function dataFoldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === "PG_VERSION")) return [folder];
  return entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => dataFoldersIn(join(folder, name)));
}
