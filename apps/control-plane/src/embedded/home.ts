import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { EmbeddedPostgresFailed } from "./failures.ts";
import { canEnter, existingAncestor, giveTo, serverUserFor, type ServerUser } from "./server-user.ts";

/** Where the files of an embedded Postgres are, and who runs it. */
export interface Home {
  /** Absolute and without links. */
  readonly path: string;
  readonly user: ServerUser | undefined;
}

/** Beside the data of system services, since `/tmp` does not outlive a restart of the machine. */
const SYSTEM_FOLDER = "/var/lib/cairn";

/** In a folder whose data had to go elsewhere: says where. */
const NOTE = "location";

/**
 * The home is the folder itself, unless root started us in a place that the server's user cannot enter, such as below
 * `/root`: then it is a folder of the system, and a note in the folder asked for says which.
 */
export function openHome(folder: string, systemFolder: string = SYSTEM_FOLDER): Home {
  const asked = resolve(folder);
  try {
    const noted = notedHome(asked);
    if (noted !== undefined) return { path: noted, user: serverUserFor(join(noted, "data")) };
    const user = serverUserFor(join(asked, "data"));
    makeFolder(asked, user);
    accessSync(asked, constants.R_OK | constants.W_OK | constants.X_OK);
    const path = realpathSync(asked);
    if (user === undefined || canEnter(user, path)) return { path, user };
    return { path: elsewhere(path, user, systemFolder), user };
  } catch (error) {
    if (error instanceof EmbeddedPostgresFailed) throw error;
    throw new EmbeddedPostgresFailed(
      "FOLDER_UNUSABLE",
      `Cannot keep a database in ${asked}: ${(error as Error).message}`,
    );
  }
}

function notedHome(folder: string): string | undefined {
  const note = join(folder, NOTE);
  if (!existsSync(note)) return undefined;
  const path = readFileSync(note, "utf8").split("\n")[0]!;
  if (existsSync(path)) return path;
  throw new EmbeddedPostgresFailed(
    "FOLDER_UNUSABLE",
    `The database of ${folder} should be in ${path}, which is not there: restore it, or delete ${note} to begin anew.`,
  );
}

function elsewhere(folder: string, user: ServerUser, systemFolder: string): string {
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  // `<project>/.cairn/postgres`: the name of the project is what people look for.
  const path = join(systemFolder, `${basename(dirname(dirname(folder)))}-${digest}`);
  makeFolder(path, user);
  if (!canEnter(user, path)) {
    throw new EmbeddedPostgresFailed(
      "FOLDER_UNUSABLE",
      `Postgres does not run as root, and the user it would run as can enter neither ${folder} nor ${path}: ` +
        "start Cairn as another user, or set DATABASE_URL to a Postgres of yours.",
    );
  }
  writeFileSync(
    join(folder, NOTE),
    `${path}\n\nThe database of this folder is there: Postgres does not run as root, and its user cannot enter this one.\n`,
  );
  return path;
}

/** The folder is its user's alone; what has to be made above it belongs to whoever owns the place. */
function makeFolder(folder: string, user: ServerUser | undefined): void {
  const existing = existingAncestor(folder);
  mkdirSync(folder, { recursive: true });
  if (existing !== folder) {
    const { uid, gid } = statSync(existing);
    for (const made of pathsBelow(existing, folder)) {
      if (user !== undefined) chownSync(made, uid, gid);
      chmodSync(made, 0o755);
    }
    chmodSync(folder, 0o700);
  }
  giveTo(user, folder);
}

function pathsBelow(ancestor: string, folder: string): string[] {
  const names = relative(ancestor, folder).split(sep);
  return names.map((_, index) => join(ancestor, ...names.slice(0, index + 1)));
}
