import { spawnSync } from "node:child_process";
import { chownSync, existsSync, lchownSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { EmbeddedPostgresFailed } from "./failures.ts";

/** Who runs Postgres when this process may not: it refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Nobody in particular (`undefined`) unless this process is root's. Then the owner of what is there already, so that root
 * and the owner of a project can take turns; and `nobody` where everything is root's.
 */
export function serverUserFor(path: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid } = statSync(existingAncestor(path));
  const owner = uid === 0 ? undefined : knownUser(String(uid));
  const user = owner ?? knownUser("nobody");
  if (user === undefined) {
    throw new EmbeddedPostgresFailed(
      "CANNOT_RUN",
      "Postgres does not run as root, and this machine has no user 'nobody' to run it as: start Cairn as another user, " +
        "or set DATABASE_URL to a Postgres of yours.",
    );
  }
  return user;
}

/** Options of `spawn` and its kin. */
export function asUser(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}

/** Asks the system itself: modes, groups, access lists and mounts all have a say. */
export function canEnter(user: ServerUser, folder: string): boolean {
  const { status } = spawnSync("/bin/sh", ["-c", 'cd -- "$1"', "sh", folder], { ...asUser(user), stdio: "ignore" });
  return status === 0;
}

export function existingAncestor(path: string): string {
  return existsSync(path) ? path : existingAncestor(dirname(path));
}

export function giveTo(user: ServerUser | undefined, path: string): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

export function giveTreeTo(user: ServerUser | undefined, path: string): void {
  if (user === undefined) return;
  lchownSync(path, user.uid, user.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveTreeTo(user, join(path, entry.name));
    else lchownSync(join(path, entry.name), user.uid, user.gid);
  }
}

/** Postgres looks its user up by name, so an id alone, as of a folder that a container has mounted, will not do. */
function knownUser(nameOrId: string): ServerUser | undefined {
  const uid = idOf("-u", nameOrId);
  const gid = idOf("-g", nameOrId);
  return uid === undefined || gid === undefined || uid === 0 ? undefined : { uid, gid };
}

function idOf(flag: "-u" | "-g", nameOrId: string): number | undefined {
  const { status, stdout } = spawnSync("id", [flag, nameOrId], { encoding: "utf8" });
  // `| 0`: macOS prints the id of `nobody`, -2, without its sign.
  return status === 0 ? Number(stdout.trim()) | 0 : undefined;
}
