import { createServer, type AddressInfo } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../../control-plane/test/support/test-database.ts";
import { build } from "../command.ts";
import { temporaryProject } from "../temporary-project.ts";
import { cairnOnce, freePorts, installedProject } from "./processes.ts";

beforeAll(build);

const ANY = { API_PORT: "0", GRPC_PORT: "0" };

describe("cairn start", () => {
  it("says in one line why it cannot: ports, settings, databases", async () => {
    const folder = temporaryProject({});
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const port = String((taken.address() as AddressInfo).port);
    const { url: DATABASE_URL, drop } = await createTestDatabase();
    onTestFinished(drop);
    const away = `postgres://nobody@127.0.0.1:${(await freePorts(1))[0]}/none`;
    const empty = DATABASE_URL.replace(/[^/]*$/, "postgres");
    const cases: [Record<string, string>, string[], string][] = [
      [
        { DATABASE_URL, API_PORT: port, GRPC_PORT: "0" },
        [],
        `HTTP cannot listen on 127.0.0.1:${port}: another process`,
      ],
      [{ DATABASE_URL, API_PORT: "0", GRPC_PORT: port }, [], "give another one by GRPC_PORT or --grpc-port"],
      [{ DATABASE_URL: away, ...ANY }, [], "No database answers on 127.0.0.1"],
      [{ DATABASE_URL: "mysql://x", ...ANY }, [], "The database's URL is not one"],
      [{ DATABASE_URL: empty, ...ANY }, ["--no-migrate"], "The database lacks the migrations"],
      [{ DATABASE_URL, ...ANY, CAIRN_HOST: "0.0.0.0", CAIRN_SECURITY: "off" }, [], "leave it on (CAIRN_SECURITY)"],
      [{ CAIRN_SECURITY: "maybe" }, [], 'CAIRN_SECURITY is on or off, not "maybe"'],
      [{ CAIRN_TLS_CLIENTS: "all" }, [], 'CAIRN_TLS_CLIENTS is alone or with-key, not "all"'],
      [{ DATABASE_URL, ...ANY, CAIRN_TLS_CLIENTS: "with-key" }, [], "name their authority too (CAIRN_TLS_CA)"],
      [{ API_PORT: "http" }, [], 'API_PORT is a whole number from 0 to 65535, not "http"'],
      [{}, ["--grpc-port", "70000"], "GRPC_PORT is a whole number from 0 to 65535"],
      [{ CAIRN_RUNLOPS: "2" }, [], "there is no setting CAIRN_RUNLOPS: did you mean CAIRN_RUNLOOPS?"],
      [{ DATABASE_URL, ...ANY, CAIRN_RUNLOOPS: "1000" }, [], "is a whole number from 0 to 64"],
      [{ CAIRN_TOKENS: "secret" }, [], "CAIRN_TOKENS has items such as billing=secret"],
      [{ CAIRN_TLS_CERT: "/none" }, [], "CAIRN_TLS_CERT is the path of a file in PEM"],
    ];
    await Promise.all(
      cases.map(async ([env, args, says]) => {
        const { code, text, stdout } = await cairnOnce(folder, ["start", ...args], env);
        expect({ code, stdout }, text).toEqual({ code: 1, stdout: "" });
        expect(text).toContain(says);
        expect(text.trimEnd().split("\n"), text).toHaveLength(1);
      }),
    );
  });
});

describe("cairn worker and cairn run", () => {
  it("say in one line what is wrong", async () => {
    const folder = installedProject({});
    const [port = ""] = await freePorts(1);
    const cases: [string[], Record<string, string>, number, string][] = [
      [["worker"], {}, 1, "There are no modules in"],
      [["worker", "--capacity", "many"], {}, 1, "CAIRN_WORKER_CAPACITY is a whole number from 1 to"],
      [["worker"], { CAIRN_WORKER_CAPACTY: "1" }, 1, "did you mean CAIRN_WORKER_CAPACITY?"],
      [["worker", "--capacty", "1"], {}, 2, "Did you mean --capacity?"],
      [["run", "a.b", "--input", "{"], {}, 2, "--input is not JSON"],
      [["run", "a.b", "--url", "ftp://x"], {}, 1, "CONTROL_PLANE_GRPC_URL is the address of a control plane"],
      [["run", "a.b", "--url", `127.0.0.1:${port}`], {}, 1, "No control plane answers at 127.0.0.1:"],
    ];
    await Promise.all(
      cases.map(async ([args, env, code, says]) => {
        const ran = await cairnOnce(folder, args, env);
        expect(ran.text).toContain(says);
        expect(ran).toMatchObject({ code, stdout: "" });
      }),
    );
  });

  it.each(["start", "worker", "dev", "run"])("%s --help names the settings", async (command) => {
    const { code, stdout } = await cairnOnce(temporaryProject({}), [command, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("CAIRN_TOKEN");
    expect(stdout).toContain("--json");
  });
});
