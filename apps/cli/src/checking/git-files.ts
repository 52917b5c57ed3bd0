import { spawnSync } from "node:child_process";

/** A list of all files of a very large repository. */
const LIST_BYTES_MAX = 512 * 1024 * 1024;

/**
 * Files below a folder that Git does not ignore, relative to it; folders are other repositories. Null when Git is not
 * there, the folder is in no repository, or is itself ignored: then nothing is known about what is in it.
 */
export function gitFiles(folder: string): string[] | null {
  if (git(folder, "check-ignore", "--quiet", "--", folder) !== null) return null;
  const listed = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  return listed === null ? null : [...new Set(listed.split("\0"))].filter((path) => path !== "");
}

/** Folders below a folder that Git ignores as a whole, relative to it and without a slash at the end. */
export function gitIgnoredFolders(folder: string): string[] {
  const listed = git(folder, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory");
  const paths = listed?.split("\0") ?? [];
  return paths.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
}

function git(folder: string, ...args: string[]): string | null {
  const { status, stdout } = spawnSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    env: ownEnvironment(),
    maxBuffer: LIST_BYTES_MAX,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}

/** In a Git hook these name the repository of the commit, and Git would take the current folder for its root. */
const OF_HOOKS = new Set(["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"]);

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_HOOKS.has(name)));
}
