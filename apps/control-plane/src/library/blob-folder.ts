import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { makeFolder } from "../blobs/file-blobs.ts";
import type { CairnOptions } from "./cairn-options.ts";
import { EngineError } from "./engine-error.ts";

/** The folder for large values, made if it is not there; null if they are kept in Postgres. */
export async function openBlobFolder({ blobs }: CairnOptions): Promise<string | null> {
  const path = blobs?.folder ?? process.env["CAIRN_BLOBS"] ?? "";
  if (path === "") return null;
  const folder = resolve(path);
  try {
    await makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return folder;
  } catch (cause) {
    const name = blobs === undefined ? "CAIRN_BLOBS" : "blobs.folder";
    throw new EngineError("InvalidOption", `${name} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
