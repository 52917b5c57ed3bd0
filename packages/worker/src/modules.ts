import { stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { glob } from "tinyglobby";

/** The modules of a worker cannot be found or loaded: it would be a worker without code. */
export class ModulesFailed extends Error {
  override name = "ModulesFailed";
}

const EXTENSIONS = "{ts,mts,cts,js,mjs,cjs}";
/** Where modules are looked for if nobody says where they are. */
const DEFAULT_PATTERNS = [`{,src/}{workflows,actions}.${EXTENSIONS}`, `{,src/}{workflows,actions}/**/*.${EXTENSIONS}`];
const NO_MODULES = ["**/node_modules/**", "**/*.d.{ts,mts,cts}", `**/*.{test,spec}.${EXTENSIONS}`];

/** Files of modules, absolute, each once. `given`: files or patterns; null for the default search. */
export async function findModules(given: readonly string[] | null, folder: string): Promise<string[]> {
  if (given === null) {
    const found = await matching(DEFAULT_PATTERNS, folder);
    if (found.length > 0) return found;
    throw new ModulesFailed(
      `There are no modules in ${folder}: give them in CAIRN_MODULES, such as CAIRN_MODULES=src/**/*.flow.ts, ` +
        "or put them into workflows or actions, there or in src",
    );
  }
  const files = new Set<string>();
  for (const each of given) {
    const path = resolve(folder, each);
    const found = (await isFile(path)) ? [path] : await matching([each], folder);
    if (found.length === 0) throw new ModulesFailed(`There is no module ${each} in ${folder}`);
    for (const file of found) files.add(file);
  }
  return [...files];
}

async function matching(patterns: string[], folder: string): Promise<string[]> {
  return (await glob(patterns, { cwd: folder, absolute: true, ignore: NO_MODULES })).toSorted();
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Loads them in turn, TypeScript too: workflows are compiled while they are loaded. */
export async function loadModules(files: readonly string[]): Promise<void> {
  await import("cairnjs/register");
  for (const file of files) {
    const name = relative(process.cwd(), file);
    try {
      await beforeSilence(import(pathToFileURL(file).href), `${name} never finishes loading`);
    } catch (error) {
      if (error instanceof ModulesFailed) throw error;
      throw new ModulesFailed(`${name} cannot be loaded: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** A problem of a workflow says where it is, and a stack of ours adds nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "CompileFailed" ? error.message : (error.stack ?? error.message);
}

/** Rejects when Node.js has nothing left to do: what is waited for will never come, and the process would end in silence. */
async function beforeSilence(promise: Promise<unknown>, problem: string): Promise<void> {
  let giveUp = (): void => {};
  const silence = new Promise<never>((_, reject) => {
    giveUp = () => reject(new ModulesFailed(`${problem}: it awaits something that does not come`));
    process.once("beforeExit", giveUp);
  });
  try {
    await Promise.race([promise, silence]);
  } finally {
    process.off("beforeExit", giveUp);
  }
}
