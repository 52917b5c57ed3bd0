import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const fixtures = join(here, "fixtures");
const app = dirname(here);
/** The command as it is built. */
export const main = join(app, "bin", "cairn.js");

/** Node cannot load TypeScript everywhere, so what is tested is the command as it is built. */
export function build(): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-b", app], { encoding: "utf8" });
  if (status !== 0) throw new Error(stdout);
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Lines of stdout as JSON. */
  lines(): unknown[];
}

/** Runs `cairn` as a user would, among the fixtures. */
export function cairn(...args: string[]): Ran {
  return cairnIn(fixtures, ...args);
}

export function cairnIn(folder: string, ...args: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
  });
  const lines = (): unknown[] =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  return { code: status, stdout, stderr, lines };
}
