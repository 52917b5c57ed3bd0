import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { dispatchOf, FakeControlPlane } from "../../packages/worker/test/support/fake-control-plane.ts";
import { until } from "../../packages/worker/test/support/until.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const NEEDED = ["ir", "compiler", "vm", "sdk", "schemas", "protocol", "worker"];
const folder = mkdtempSync(join(tmpdir(), "cairn-packed-"));

function npm(args: readonly string[], cwd: string): void {
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  execFileSync("npm", args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
}

/** As somebody would who has nothing but the packages. */
beforeAll(() => {
  const packed = join(folder, "packed");
  mkdirSync(packed);
  for (const name of NEEDED) npm(["pack", "--silent", "--pack-destination", packed], join(root, "packages", name));
  const tarballs = readdirSync(packed).map((file) => join(packed, file));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "installed", private: true, type: "module" }));
  npm(["install", "--no-audit", "--no-fund", "--silent", "--prefer-offline", ...tarballs], folder);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed worker, installed alone", () => {
  it("has no database driver in its tree", () => {
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
      packages: Record<string, { link?: boolean }>;
    };
    const names = Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13));
    expect(names).toContain("@cairnjs/worker");
    expect(names).not.toContain("@cairnjs/control-plane");
    expect(Object.values(packages).filter(({ link }) => link)).toEqual([]);
    const drivers =
      /^(pg|pg-.*|postgres|.*postgres.*|mysql2?|mariadb|better-sqlite3|sqlite3|mongodb|redis|ioredis|knex)$/;
    expect(names.filter((name) => drivers.test(name))).toEqual([]);
  });

  it("runs a call of a module in TypeScript, and one in a thread", async () => {
    mkdirSync(join(folder, "actions"));
    writeFileSync(
      join(folder, "actions/greet.ts"),
      'import { action } from "cairnjs";\n' +
        'export const greet = action("default.greet", async (name: string) => `Hello ${name}`);\n' +
        'export const sum = action("default.sum", { isolate: "thread" }, (a: number, b: number) => a + b);\n',
    );
    const fake = await FakeControlPlane.open();
    onTestFinished(() => fake.kill());
    const worker = spawn(join(folder, "node_modules/.bin/cairn-worker"), {
      cwd: folder,
      env: { PATH: process.env["PATH"], CONTROL_PLANE_GRPC_URL: fake.url },
      stdio: ["ignore", "inherit", "inherit"],
    });
    onTestFinished(() => void worker.kill("SIGKILL"));
    const stream = await fake.stream();
    stream.send({
      dispatches: [
        dispatchOf("default.greet", ["Ada"], { call: "1.0" }),
        dispatchOf("default.sum", [2, 3], { call: "2.0" }),
      ],
    });
    await until(() => stream.outcomes.length === 2);
    expect(stream.outcomes.map(({ value }) => value)).toEqual([{ json: '"Hello Ada"' }, { json: "5" }]);
    const exit = new Promise((resolve) => worker.on("exit", resolve));
    worker.kill("SIGTERM");
    expect(await exit).toBe(0);
  });
});
