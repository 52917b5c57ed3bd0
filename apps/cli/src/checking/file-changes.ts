import { realpathSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import { type FSWatcher, watch } from "chokidar";
import { CannotRun } from "../cannot-run.ts";
import { isLeftOut } from "./find-files.ts";
import { gitIgnoredFolders } from "./git-files.ts";

/**
 * Editors and Git write several files, or one in several steps: what comes this soon is one change. Longer than the
 * 50 ms in which the watcher drops further changes of a file: by then they have been written.
 */
const SETTLE_MS = 80;

const WATCHED = /\.(?:[cm]?[jt]sx?|json)$|^\.gitignore$/;
/** What these say decides where imports lead and which files count. */
const SETTINGS = /^(?:(?:ts|js)config.*\.json|package\.json|\.gitignore)$/;

/**
 * Owns a watcher of files and folders, and the changes that nobody has taken yet. From the moment that `open`
 * resolves no change of what it was given is missed.
 */
export class FileChanges {
  readonly #watcher: FSWatcher;
  readonly #roots: readonly string[];
  readonly #followed = new Set<string>();
  #changed = new Set<string>();
  #isAny = false;
  #failure: Error | null = null;
  #wake: () => void = () => {};

  private constructor(watcher: FSWatcher, roots: readonly string[]) {
    this.#watcher = watcher;
    this.#roots = roots;
    watcher.on("all", (event, path) => {
      if (event === "change" && !SETTINGS.test(basename(path))) this.#changed.add(path);
      else this.#isAny = true;
      this.#wake();
    });
    watcher.on("error", (error) => {
      this.#failure = new CannotRun(`files cannot be watched: ${String(error)}`, { cause: error });
      this.#wake();
    });
  }

  static async open(paths: readonly string[]): Promise<FileChanges> {
    const roots = paths.map((path) => realpathSync(resolve(path)));
    const watcher = watch(roots, { ignoreInitial: true, ignored: ignoredBelow(roots) });
    const changes = new FileChanges(watcher, roots);
    await new Promise<void>((ready) => {
      watcher.once("ready", ready);
    });
    return changes;
  }

  /** Watches these files too, wherever they are. */
  follow(paths: Iterable<string>): void {
    for (const path of paths) {
      const isWatched = this.#followed.has(path) || this.#roots.some((root) => isBelow(path, root));
      if (isWatched) continue;
      this.#followed.add(path);
      this.#watcher.add(path);
    }
  }

  /** Waits for the next changes; null when more than the content of known files may have changed. */
  async next(): Promise<ReadonlySet<string> | null> {
    while (!this.#isAny && this.#changed.size === 0 && this.#failure === null) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    await new Promise((settled) => {
      setTimeout(settled, SETTLE_MS);
    });
    if (this.#failure !== null) throw this.#failure;
    const changed = this.#isAny ? null : this.#changed;
    this.#isAny = false;
    this.#changed = new Set();
    return changed;
  }
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}${sep}`);
}

type Ignored = (path: string, stats?: { isFile(): boolean }) => boolean;

/** A root is watched whatever its name. */
function ignoredBelow(roots: readonly string[]): Ignored {
  const given = new Set(roots);
  const byGit = new Set(
    roots.flatMap((root) => gitIgnoredFolders(root).map((folder) => join(root, ...folder.split("/")))),
  );
  return (path, stats) => {
    if (given.has(path)) return false;
    const name = basename(path);
    if (name !== ".gitignore" && isLeftOut(name)) return true;
    return byGit.has(path) || (stats?.isFile() === true && !WATCHED.test(name));
  };
}
