import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openCluster, type Cluster } from "../../src/embedded/cluster.ts";
import { startEmbeddedPostgres } from "../../src/embedded/embedded-postgres.ts";
import { openHome } from "../../src/embedded/home.ts";
import { findBinaries, readyProgram } from "../../src/embedded/program.ts";
import { reachServer, stopServer } from "../../src/embedded/server.ts";
import { giveTreeTo } from "../../src/embedded/server-user.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { build, startHolder } from "./holder.ts";

beforeAll(build);

const root = process.getuid?.() === 0;
/** `nobody` and `daemon`, on every Linux. */
const [nobody, daemon] = [
  { uid: 65_534, gid: 65_534 },
  { uid: 1, gid: 1 },
];

async function runOnce(folder: string, systemFolder: string): Promise<Cluster> {
  const home = openHome(folder, systemFolder);
  const cluster = await openCluster(home, readyProgram(findBinaries(), home), { initOptions: ["--no-sync"] });
  onTestFinished(() => stopServer(cluster));
  await reachServer(cluster);
  return cluster;
}

it("runs for somebody who is not root", async () => {
  const folder = temporaryFolder();
  if (root) chownSync(folder, nobody.uid, nobody.gid);
  const holder = await startHolder(folder, root ? nobody : {});
  expect(holder.answer.error).toBeUndefined();
  expect(statSync(join(folder, "data")).uid).toBe(root ? nobody.uid : process.getuid?.());
  await holder.stop();
});

// Whoever is not root cannot become another user, so these have nothing to say there.
describe.runIf(root)("for root", () => {
  it("runs as nobody where everything is root's, and leaves the project root's", async () => {
    const project = temporaryFolder();
    const folder = join(project, ".cairn", "postgres");
    const server = await startEmbeddedPostgres({ folder });
    expect(statSync(`/proc/${server.pid}`).uid).toBe(nobody.uid);
    expect(statSync(join(project, ".cairn")).uid).toBe(0);
    expect(statSync(folder)).toMatchObject({ uid: nobody.uid });
    await server.stop();
  });

  it("runs as the project's owner, who can go on with it", async () => {
    const project = temporaryFolder();
    chownSync(project, daemon.uid, daemon.gid);
    chmodSync(project, 0o700);
    const folder = join(project, ".cairn", "postgres");
    const server = await startEmbeddedPostgres({ folder });
    expect(statSync(`/proc/${server.pid}`).uid).toBe(daemon.uid);
    expect(statSync(join(project, ".cairn"))).toMatchObject(daemon);
    await server.stop();
    const holder = await startHolder(folder, daemon);
    expect(holder.answer).toMatchObject({ adopted: false });
    await holder.stop();
    await (await startEmbeddedPostgres({ folder })).stop();
  });

  it("runs as nobody where the owner is only a number", async () => {
    const folder = temporaryFolder();
    chownSync(folder, 54_321, 54_321);
    const server = await startEmbeddedPostgres({ folder });
    expect(statSync(`/proc/${server.pid}`).uid).toBe(nobody.uid);
    await server.stop();
  });

  it("mends the ownership of a database that root has copied", async () => {
    const folder = temporaryFolder();
    await (await startEmbeddedPostgres({ folder })).stop();
    giveTreeTo({ uid: 0, gid: 0 }, folder);
    await (await startEmbeddedPostgres({ folder })).stop();
  });

  it("keeps the data in a folder of the system when Postgres's user cannot enter the project, and finds it again", async () => {
    const project = temporaryFolder("secret");
    chmodSync(project, 0o700);
    const folder = join(project, ".cairn", "postgres");
    const systemFolder = join(temporaryFolder(), "lib", "cairn");
    const { home, data } = await runOnce(folder, systemFolder);
    expect(dirname(home.path)).toBe(systemFolder);
    expect(basename(home.path)).toMatch(/^secret-[0-9a-f]{12}$/);
    expect(existsSync(join(data, "PG_VERSION"))).toBe(true);
    expect(readFileSync(join(folder, "location"), "utf8").split("\n")[0]).toBe(home.path);
    // What the note says counts, even when the project is opened up later.
    chmodSync(project, 0o755);
    expect(openHome(folder, systemFolder)).toEqual(home);
  });

  it("says so when the data has gone from the folder of the system, or that cannot be entered either", () => {
    const project = temporaryFolder();
    chmodSync(project, 0o700);
    const folder = join(project, ".cairn", "postgres");
    const systemFolder = temporaryFolder();
    rmSync(openHome(folder, systemFolder).path, { recursive: true });
    expect(() => openHome(folder, systemFolder)).toThrow(/should be in .*, which is not there/);
    rmSync(join(folder, "location"));
    chmodSync(systemFolder, 0o700);
    expect(() => openHome(folder, systemFolder)).toThrow(/can enter neither .* nor .*: start Cairn as another user/);
  });

  it("and its folders: somebody else is refused in one line", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "postgres"), { mode: 0o700 });
    const holder = await startHolder(join(folder, "postgres"), nobody);
    expect(holder.answer.error).toMatchObject({
      code: "FOLDER_UNUSABLE",
      message: expect.stringContaining("permission denied") as string,
    });
  });
});
