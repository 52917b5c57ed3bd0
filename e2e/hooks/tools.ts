import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const binaries = join(root, "node_modules");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(cwd: string, command: string, args: readonly string[], env: Record<string, string> = {}): Ran {
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...outside } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: join(here, cwd),
    encoding: "utf8",
    timeout: 120_000,
    env: { ...outside, NO_COLOR: "1", ...env },
  });
  return { code: status, stdout, stderr };
}

/** Node.js of another version: npm's package `node` brings it, and `npm run verify` installs that. */
export function nodeOf(version: string): string {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const path = join(tmpdir(), `cairn-node-${version}/node_modules/node/bin/node`);
  if (!existsSync(path))
    throw new Error(`Node ${version} is missing: there is no ${path}. \`npm run verify\` installs it.`);
  return path;
}

/** Builds with a bundler, then runs what it made. */
export function built(tool: string, output: string): () => Ran {
  return () => {
    const made = run(tool, process.execPath, ["build.mjs"]);
    return made.code === 0 ? run(tool, process.execPath, ["--enable-source-maps", join("dist", output)]) : made;
  };
}

export function registered(node: string, ...imports: string[]): () => Ran {
  return () => run("app", node, [...imports.flatMap((name) => ["--import", name]), "src/main.ts"]);
}

export const jestCommonJs = (): Ran =>
  run("jest-cjs", process.execPath, [join(binaries, "jest/bin/jest.js"), "--no-cache"]);

export const jestModules = (): Ran =>
  run("jest-esm", process.execPath, [join(binaries, "jest/bin/jest.js"), "--no-cache"], {
    NODE_OPTIONS: "--experimental-vm-modules",
  });

export const vitest = (): Ran => run("vitest", process.execPath, [join(binaries, "vitest/vitest.mjs"), "run"]);

export const cairn = (...args: string[]): Ran =>
  run("app", process.execPath, [join(root, "apps/cli/dist/main.js"), ...args]);
