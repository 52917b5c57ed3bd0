import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/** Each runs the same tests in a process of its own, with the package as it is built. */
const RUNNERS = {
  "node:test": ["node", ["--import", "cairnjs/register", "--test", "invoices.test.mjs"], /^# pass 4$/m],
  jest: ["jest", ["--experimental-vm-modules", command("jest", "bin/jest.js")], /Tests: +6 passed, 6 total/],
  vitest: ["vitest", [command("vitest", "vitest.mjs"), "run", "--config", "vitest.config.mjs"], /Tests {2}6 passed/],
} as const;

it.each(Object.entries(RUNNERS))("test runs work in %s, fake timers on or off", (_, [project, args, passed]) => {
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(folder, project),
    env: { ...env, NO_COLOR: "1" },
    encoding: "utf8",
  });
  expect(stdout + stderr).toMatch(passed);
});

function command(name: string, path: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), path);
}
