import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parseMasterKey } from "../../../control-plane/src/secrets/master-keys.ts";
import { dumpTables } from "../../../control-plane/test/support/dump-tables.ts";
import { createTestDatabase } from "../../../control-plane/test/support/test-database.ts";
import { testBed } from "../../../control-plane/test/support/test-engine.ts";
import { build } from "../command.ts";
import { cairnOnce, cairnProcess, type Command, freePorts, installedProject } from "./processes.ts";

beforeAll(build);

const FLOW = `import { action, secret, workflow } from "cairnjs";
const signIn = action("demo.sign-in.v1", { needs: { password: secret("smtp-password") } }, async (name: string, { password }) => {
  const keys = Object.keys(process.env).filter((each) => each.startsWith("CAIRN_MASTER_KEY"));
  return { name, letters: password.length, keys };
});
export const hello = workflow("demo.hello.v1", async (name: string) => signIn(name));
`;

interface Plane {
  readonly command: Command;
  readonly grpc: string;
  readonly api: { readonly CAIRN_API_URL: string };
}

async function startPlane(folder: string, env: Record<string, string>): Promise<Plane> {
  const [grpc = "", http = ""] = await freePorts(2);
  const command = cairnProcess(folder, ["start", "--grpc-port", grpc, "--port", http], {
    ...env,
    CAIRN_SECURITY: "off",
  });
  await command.says("/metrics");
  return { command, grpc, api: { CAIRN_API_URL: `http://127.0.0.1:${http}` } };
}

const idOf = (key: string): string => parseMasterKey("CAIRN_MASTER_KEY", key).id;

async function ended({ command }: Plane): Promise<void> {
  command.child.kill("SIGTERM");
  await command.ended;
}

describe("cairn secrets", () => {
  it("with two control planes: the master key is replaced while both run, and no call lacks its secret", async () => {
    const folder = installedProject({ "workflows/hello.ts": FLOW });
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const [old, next] = [randomBytes(32).toString("base64"), randomBytes(32).toString("hex")];
    const first = await startPlane(folder, { DATABASE_URL: url, CAIRN_MASTER_KEY: old });
    const secrets = (plane: Plane, args: string[], input: string | null = null) =>
      cairnOnce(folder, ["secrets", ...args], plane.api, input);
    const set = await secrets(first, ["set", "smtp-password"], "correct horse\n");
    expect(set).toMatchObject({ code: 0, text: "smtp-password: version 1\n" });
    const list = await secrets(first, ["list"]);
    expect(list.stdout).toMatch(/^NAME +VERSION +SET +BY\nsmtp-password +1 +.+ +anyone\n$/);
    const worker = cairnProcess(folder, ["worker", "--prefixes", "*", "--url", `127.0.0.1:${first.grpc}`]);
    await worker.says("Connected to the control plane");
    const run = async (plane: Plane, letters: number): Promise<void> => {
      const args = ["run", "demo.hello.v1", "--input", '"ada"', "--wait", "--json", "--url", `127.0.0.1:${plane.grpc}`];
      const { stdout, text } = await cairnOnce(folder, args);
      expect(JSON.parse(stdout || JSON.stringify(text))).toMatchObject({ result: { name: "ada", letters, keys: [] } });
    };
    await run(first, 13);
    const both = await startPlane(folder, { DATABASE_URL: url, CAIRN_MASTER_KEY: next, CAIRN_MASTER_KEY_OLD: old });
    const rewrapped = await secrets(both, ["rewrap"]);
    expect(rewrapped.stdout).toBe(
      `1 data key wrapped by the master key ${idOf(next)}\nstill wrapped by ${idOf(old)} too\n`,
    );
    await secrets(both, ["set", "smtp-password"], "another one");
    const refused = await secrets(first, ["rotate"]);
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining("WrongMasterKey") });
    expect(await secrets(both, ["rotate"])).toMatchObject({
      code: 0,
      stdout: "1 secret encrypted by a new data key\n",
    });
    for (const plane of [first, both]) await run(plane, 11);
    const last = await startPlane(folder, { DATABASE_URL: url, CAIRN_MASTER_KEY: next });
    await ended(both);
    // The first one, which has the old key still, would remove the new one.
    expect(await secrets(first, ["rewrap", "--remove-old", "--yes"])).toMatchObject({
      code: 1,
      text: expect.stringMatching(/WrongMasterKey.* came later: nothing is removed/),
    });
    await run(last, 11);
    await ended(first);
    const removed = await secrets(last, ["rewrap", "--remove-old", "--yes", "--json"]);
    expect(JSON.parse(removed.stdout)).toEqual({
      masterKey: idOf(next),
      added: 0,
      removed: 1,
      removedMasterKeys: [idOf(old)],
      otherMasterKeys: [],
    });
    expect((await secrets(last, ["rewrap", "--remove-old"])).stdout).toMatch(/\n0 wraps by others removed\n$/);
    const other = cairnProcess(folder, ["worker", "--prefixes", "*", "--url", `127.0.0.1:${last.grpc}`]);
    await other.says("Connected to the control plane");
    await run(last, 11);
    const wrong = await startPlane(folder, { DATABASE_URL: url, CAIRN_MASTER_KEY: old });
    expect(await secrets(wrong, ["set", "x"], "y")).toMatchObject({
      code: 1,
      text: expect.stringContaining("WrongMasterKey"),
    });
    expect(await secrets(last, ["remove", "smtp-password", "--json"])).toMatchObject({
      stdout: '{"name":"smtp-password"}\n',
    });
    expect((await secrets(last, ["list"])).text).toContain("there are no secrets");
    expect(await secrets(last, ["remove", "smtp-password"])).toMatchObject({ code: 1 });
    expect(await secrets(last, ["set", "x"], "")).toMatchObject({ code: 1, text: expect.stringContaining("empty") });
    expect(await secrets(last, ["set", "x", "as-an-argument"], "y")).toMatchObject({ code: 2 });
    const said =
      [first, both, last, wrong].map(({ command }) => command.text()).join("\n") + worker.text() + other.text();
    for (const hidden of [old, next, "correct horse", "another one"]) expect(said).not.toContain(hidden);
  });

  it("cairn start says what is wrong with a master key, and never the key", async () => {
    const folder = installedProject({});
    const env = { DATABASE_URL: "postgres://127.0.0.1:1/x", API_PORT: "0", GRPC_PORT: "0" };
    for (const [more, what] of [
      [{ CAIRN_MASTER_KEY: "too-short-a-key" }, "32 bytes, in base64 or hex"],
      [{ CAIRN_MASTER_KEY_FILE: "/nowhere/key" }, "CAIRN_MASTER_KEY_FILE is the path of a file"],
      [{ CAIRN_MASTER_KEY: "too-short-a-key", CAIRN_MASTER_KEY_FILE: "x" }, "say the same thing twice"],
    ] as const) {
      const start = await cairnOnce(folder, ["start"], { ...env, ...more });
      expect(start).toMatchObject({ code: 1, text: expect.stringContaining(what) });
      expect(start.text).not.toContain("too-short-a-key");
    }
  });

  it("cairn dev makes a master key, for its user alone, which its worker has not", async () => {
    const folder = installedProject({ "workflows/hello.ts": FLOW });
    const bed = await testBed();
    const [grpc = "", http = ""] = await freePorts(2);
    const env = { DATABASE_URL: bed.url, API_PORT: http, GRPC_PORT: grpc };
    const dev = cairnProcess(folder, ["dev"], env);
    await dev.says("is ready");
    const api = { CAIRN_API_URL: `http://127.0.0.1:${http}` };
    expect(await cairnOnce(folder, ["secrets", "set", "smtp-password", "--json"], api, "pass phrase")).toMatchObject({
      code: 0,
    });
    const file = join(folder, ".cairn", "master-key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, ".cairn", ".gitignore"), "utf8")).toBe("*\n");
    const args = ["run", "demo.hello.v1", "--input", '"ada"', "--wait", "--json", "--url", `127.0.0.1:${grpc}`];
    await dev.says("The worker is ready");
    expect(JSON.parse((await cairnOnce(folder, args)).stdout)).toMatchObject({ result: { letters: 11, keys: [] } });
    const key = readFileSync(file, "utf8");
    dev.child.kill("SIGTERM");
    await dev.ended;
    const again = cairnProcess(folder, ["dev"], env);
    await again.says("is ready");
    expect(readFileSync(file, "utf8")).toBe(key);
    const hidden = [key.trim(), "pass phrase"];
    const everything = `${await dumpTables(bed)}\n${dev.text()}\n${again.text()}`;
    for (const each of hidden) expect(everything).not.toContain(each);
    again.child.kill("SIGTERM");
    await again.ended;
  });
});
