import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../../control-plane/test/support/test-database.ts";
import { until } from "../../../control-plane/test/support/test-engine.ts";
import { build } from "../command.ts";
import { temporaryProject } from "../temporary-project.ts";
import { cairnOnce, cairnProcess, freePorts, installedProject, isAlive } from "./processes.ts";

beforeAll(build);

const FLOW = `import { appendFileSync, existsSync } from "node:fs";
import { action, workflow } from "cairnjs";
const greet = action("demo.greet.v1", async (name: string) => {
  console.log("greets", name);
  return \`hello \${name}\`;
});
export const hello = workflow("demo.hello.v1", async ({ name }: { name: string }) => ({ text: await greet(name) }));
const wait = action("demo.wait.v1", async (file: string) => {
  appendFileSync(file + ".begun", "1");
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
  return "once";
});
export const waits = workflow("demo.waits.v1", async (file: string) => wait(file));
export const fails = workflow("demo.fails.v1", async () => { throw new RangeError("too far"); });
`;

async function database(): Promise<{ readonly DATABASE_URL: string }> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return { DATABASE_URL: url };
}

const ANY = { API_PORT: "0", GRPC_PORT: "0" };
/** On this machine nobody need say who he is. */
const OPEN = { CAIRN_SECURITY: "off" };

describe("cairn start", () => {
  it("with cairn worker and cairn run is everything: a run to its result, and all end as asked", async () => {
    const folder = installedProject({ "workflows/hello.ts": FLOW });
    const [grpc = "", http = ""] = await freePorts(2);
    const start = cairnProcess(folder, ["start", "--grpc-port", grpc, "--port", http], {
      ...(await database()),
      ...OPEN,
    });
    await start.says("/metrics");
    await start.says(`npx cairn worker --url 127.0.0.1:${grpc}`);
    expect((await fetch(`http://127.0.0.1:${http}/ready`)).status).toBe(200);
    const url = ["--url", `127.0.0.1:${grpc}`];
    const worker = cairnProcess(folder, ["worker", "--prefixes", "*", ...url]);
    await worker.says("Connected to the control plane");
    const input = ["--input", '{"name":"ada"}'];
    const ran = await cairnOnce(folder, ["run", "demo.hello.v1", ...input, "--wait", ...url]);
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^[0-9a-f-]{36}\nresult {"text":"hello ada"}\n$/),
    });
    const job = await cairnOnce(folder, ["run", "demo.greet.v1", "--input", '"bob"', "--wait", "--json", ...url]);
    expect(JSON.parse(job.stdout)).toMatchObject({ status: "succeeded", result: "hello bob" });
    const failed = await cairnOnce(folder, ["run", "demo.fails.v1", "--wait", ...url]);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("failed RangeError: too far") });
    worker.child.kill("SIGTERM");
    expect(await worker.ended).toBe(0);
    expect(worker.stdout()).toBe("greets ada\ngreets bob\n");
    start.child.kill("SIGTERM");
    expect(await start.ended).toBe(0);
    expect(start.text()).toContain("SIGTERM: runs are handed over");
  });

  it("may be killed: another one goes on with its runs, and whoever waits gets the result", async () => {
    const folder = installedProject({ "workflows/hello.ts": FLOW });
    const ports = await freePorts(2);
    const env = { ...(await database()), ...OPEN, API_PORT: "0" };
    const [first, second] = ports.map((port) => cairnProcess(folder, ["start"], { ...env, GRPC_PORT: port }));
    await Promise.all([first!.says("Try next"), second!.says("Try next")]);
    const url = ["--url", ports.map((port) => `127.0.0.1:${port}`).join(",")];
    const worker = cairnProcess(folder, ["worker", "--prefixes", "*", ...url]);
    await worker.says(`at 127.0.0.1:${ports[0]}`);
    await worker.says(new RegExp(`at (http://)?127.0.0.1:${ports[1]}`));
    const file = join(folder, "go");
    const run = cairnProcess(folder, ["run", "demo.waits.v1", "--input", JSON.stringify(file), "--wait", ...url]);
    await run.says(/^[0-9a-f-]{36}\n/);
    await until(async () => existsSync(`${file}.begun`));
    first!.child.kill("SIGKILL");
    writeFileSync(file, "");
    expect(await run.ended).toBe(0);
    expect(run.text()).toContain('result "once"');
    expect(readFileSync(`${file}.begun`, "utf8")).toBe("1");
  });

  it("has its own Postgres where no database is given, which ends with it, also at a second signal", async () => {
    const folder = installedProject({});
    // Postgres may not run as root, and whoever it runs as has to get there.
    chmodSync(folder, 0o755);
    const start = cairnProcess(folder, ["start"], ANY);
    await start.says("Try next");
    const [, pid] = /^Postgres is started \(pid (\d+)/m.exec(start.text())!;
    start.child.kill("SIGINT");
    start.child.kill("SIGTERM");
    await start.ended;
    await until(async () => !isAlive(Number(pid)));
  });

  it.each([
    ["with --json", ["start", "--json"], "text"],
    ["elsewhere than on a terminal", ["start"], ""],
  ])("logs one JSON object a line %s, without the password of the database", async (_where, args, format) => {
    const env = { ...(await database()), ...ANY, ...OPEN, CAIRN_LOG_FORMAT: format };
    const start = cairnProcess(temporaryProject({}), args, env);
    await start.says("Try next");
    start.child.kill("SIGINT");
    expect(await start.ended).toBe(0);
    const lines = start
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const ready = lines.find(({ msg }) => String(msg).endsWith("is ready"));
    expect(ready).toMatchObject({ level: 30, grpcPort: expect.any(Number), httpPort: expect.any(Number) });
    expect(start.text()).not.toContain(new URL(env.DATABASE_URL).password);
  });

  it("logs as much as CAIRN_LOG_LEVEL says, and refuses one that there is not in one line", async () => {
    const env = { ...(await database()), ...ANY };
    const start = cairnProcess(temporaryProject({}), ["start"], {
      ...env,
      CAIRN_LOG_LEVEL: "warn",
      CAIRN_HOST: "0.0.0.0",
      CAIRN_TOKEN: "t",
    });
    await start.says("Workers are not told of this control plane");
    start.child.kill("SIGKILL");
    await start.ended;
    const lines = start.stdout().trim().split("\n");
    const warning = /^(Workers are not told|A token is short|Keys, tokens and values can be read)/;
    expect(lines.filter((line) => !warning.test(line))).toEqual([]);
    const loud = cairnProcess(temporaryProject({}), ["start"], { ...env, CAIRN_LOG_LEVEL: "loud" });
    expect(await loud.ended).toBe(1);
    expect(loud.text()).toBe('cairn: CAIRN_LOG_LEVEL is one of debug, info, warn, error, silent, not "loud"\n');
  });

  it("listens to others only with a token, and takes it from workers, clients and who asks for metrics", async () => {
    const folder = installedProject({ "workflows/hello.ts": FLOW });
    const [grpc = "", http = ""] = await freePorts(2);
    const env = {
      ...(await database()),
      GRPC_PORT: grpc,
      API_PORT: http,
      CAIRN_HOST: "0.0.0.0",
      CAIRN_TOKEN: "secret",
    };
    await cairnProcess(folder, ["start"], env).says("Try next");
    const url = ["--url", `127.0.0.1:${grpc}`];
    const refused = await cairnOnce(folder, ["worker", ...url]);
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining("wants a token") });
    expect(await cairnOnce(folder, ["run", "demo.hello.v1", ...url])).toMatchObject({
      code: 1,
      text: expect.stringContaining("Unauthenticated: This control plane wants a token"),
    });
    await cairnProcess(folder, ["worker", ...url], { CAIRN_TOKEN: "secret" }).says("Connected");
    expect((await fetch(`http://127.0.0.1:${http}/metrics`)).status).toBe(401);
  });
});
