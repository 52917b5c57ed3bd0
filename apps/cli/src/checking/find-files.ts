import { lstatSync, readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { join, resolve } from "node:path";
import { UsageMistake } from "../usage-mistake.ts";
import { gitFiles } from "./git-files.ts";

const SCRIPT = /\.[cm]?[jt]sx?$/;
const DECLARATIONS = /\.d\.([^.]+\.)?[cm]?ts$/;

/** A file or folder that cannot be looked into. */
export interface Unreadable {
  readonly path: string;
  readonly reason: string;
}

export interface FoundFiles {
  /** Real paths of scripts, each once. */
  readonly files: readonly string[];
  /** Those of them that were given by name. */
  readonly named: ReadonlySet<string>;
  readonly unreadable: readonly Unreadable[];
}

/** The scripts that are given, and those below the folders that are given. */
export function findFiles(paths: readonly string[]): FoundFiles {
  const named = new Set<string>();
  const below = new FilesBelow();
  for (const path of paths) {
    const real = existing(path);
    if (statSync(real).isDirectory()) below.folder(real);
    else if (SCRIPT.test(real)) named.add(real);
    else throw new UsageMistake(`${path} is neither a folder nor a TypeScript or JavaScript file`);
  }
  return { files: [...new Set([...named, ...below.files])], named, unreadable: below.unreadable };
}

/** Names of files and folders that hold no source of the project. */
export function isLeftOut(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}

function existing(path: string): string {
  try {
    return realpathSync(resolve(path));
  } catch (error) {
    const reason = reasonOf(error);
    throw new UsageMistake(reason === "ENOENT" ? `${path} does not exist` : `${path} cannot be read: ${reason}`);
  }
}

/** Why the file system refused, in its own short word. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

class FilesBelow {
  readonly files: string[] = [];
  readonly unreadable: Unreadable[] = [];

  folder(folder: string): void {
    const known = gitFiles(folder);
    if (known === null) {
      this.#walk(folder);
      return;
    }
    for (const path of known) {
      const parts = path.split("/").filter((part) => part !== "");
      if (!parts.some((part) => isLeftOut(part))) this.#add(join(folder, ...parts), (inner) => this.folder(inner));
    }
  }

  #walk(folder: string): void {
    let names: string[];
    try {
      names = readdirSync(folder).toSorted();
    } catch (error) {
      this.unreadable.push({ path: folder, reason: reasonOf(error) });
      return;
    }
    for (const name of names) {
      if (!isLeftOut(name)) this.#add(join(folder, name), (inner) => this.#walk(inner));
    }
  }

  #add(path: string, enter: (folder: string) => void): void {
    const isScript = SCRIPT.test(path) && !DECLARATIONS.test(path);
    try {
      const stats = lstatSync(path);
      // Links to folders are not followed: they may lead around in a circle.
      if (stats.isDirectory()) enter(path);
      else if (isScript && isFile(path, stats)) this.files.push(realpathSync(path));
    } catch (error) {
      const reason = reasonOf(error);
      // Git still knows a file that was deleted; a link that leads nowhere is no source either.
      if (isScript && reason !== "ENOENT") this.unreadable.push({ path, reason });
    }
  }
}

function isFile(path: string, stats: Stats): boolean {
  return stats.isSymbolicLink() ? statSync(path).isFile() : stats.isFile();
}
