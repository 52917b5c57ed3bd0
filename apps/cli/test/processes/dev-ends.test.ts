import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testBed } from "../../../control-plane/test/support/test-engine.ts";
import { build } from "../command.ts";
import { flow, pidIn, startDev, until } from "./dev-project.ts";
import { cairnOnce, cairnProcess, installedProject, isAlive } from "./processes.ts";

beforeAll(build);

describe("cairn dev", () => {
  it("starts a worker again that was killed, and leaves none behind, in whatever way it ends", async () => {
    const folder = installedProject({ "flows/demo.ts": flow("one") });
    const { dev, url } = await startDev(folder, ["flows/*.ts", "--json"]);
    await dev.says("The worker is ready");
    const file = join(folder, "go");
    const started = await cairnOnce(folder, ["run", "demo.waits.v1", "--input", JSON.stringify(file), ...url]);
    expect(started.code).toBe(0);
    const first = await pidIn(`${file}.begun`);
    rmSync(`${file}.begun`);
    process.kill(first, "SIGKILL");
    // Its call was lost, and is made again.
    const second = await pidIn(`${file}.begun`);
    expect(second).not.toBe(first);
    const news = (): Record<string, unknown>[] =>
      dev
        .stdout()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await until(() => news().some(({ kind, outcome }) => kind === "try" && outcome === "lost"));
    expect(news()).toContainEqual(expect.objectContaining({ kind: "started", type: "demo.waits.v1", value: file }));
    dev.child.kill("SIGKILL");
    await dev.ended;
    await until(() => !isAlive(second));
  });

  it("has its own Postgres where none is given, which ends with it, also when it is killed", async () => {
    const folder = installedProject({ "workflows/demo.ts": flow("one") });
    // Postgres may not run as root, and whoever it runs as has to get there.
    chmodSync(folder, 0o755);
    for (const signal of ["SIGKILL", "SIGINT"] as const) {
      const dev = cairnProcess(folder, ["dev"], { API_PORT: "0", GRPC_PORT: "0" });
      await dev.says("The worker is ready");
      const [, pid] = /^Postgres is started \(pid (\d+)/m.exec(dev.text())!;
      dev.child.kill(signal);
      await dev.ended;
      await until(() => !isAlive(Number(pid)));
    }
  });

  it("gives its worker the token of its namespace, or one of its own", async () => {
    const folder = installedProject({ "workflows/demo.ts": flow("one") });
    const { url: DATABASE_URL } = await testBed();
    const env = { DATABASE_URL, API_PORT: "0", GRPC_PORT: "0", CAIRN_TOKENS: "billing=one,media=other" };
    await cairnProcess(folder, ["dev"], { ...env, CAIRN_NAMESPACE: "media" }).says("The worker is ready");
    const dev = cairnProcess(folder, ["dev"], { ...env, CAIRN_TOKENS: "billing=one,default:read=looks" });
    await dev.says("The worker is ready");
    // Others are asked who they are.
    const [port] = /(?<=http:\/\/127.0.0.1:)\d+/.exec(dev.text())!;
    expect((await fetch(`http://127.0.0.1:${port}/v1/me`)).status).toBe(401);
    const said = { headers: { authorization: "Bearer looks" } };
    expect(await (await fetch(`http://127.0.0.1:${port}/v1/me`, said)).json()).toEqual({
      name: expect.stringMatching(/^the token [0-9a-f]{4} of default /),
      scopes: ["read"],
      namespace: "default",
    });
  });

  it("ends at Ctrl-C with its worker, also while that is busy for ever", async () => {
    const folder = installedProject({
      "actions/loop.ts": `import { writeFileSync } from "node:fs";
import { action } from "cairnjs";
export const loop = action("demo.loop.v1", async (file: string) => { writeFileSync(file, String(process.pid)); for (;;); });
`,
    });
    const { dev, url } = await startDev(folder);
    await dev.says("The worker is ready");
    const file = join(folder, "pid");
    await cairnOnce(folder, ["run", "demo.loop.v1", "--input", JSON.stringify(file), ...url]);
    const pid = await pidIn(file);
    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });
});
