import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readSettings } from "../src/index.ts";
import { readLogSettings } from "../src/log-settings.ts";
import { parseAddress } from "../src/session/address.ts";

describe("settings of a worker", () => {
  it("have defaults", () => {
    expect(readSettings({}, 4)).toEqual({
      urls: ["127.0.0.1:50051"],
      namespace: "default",
      token: null,
      certificates: expect.any(Function) as unknown,
      modules: null,
      codecModule: null,
      prefixes: null,
      capacity: 100,
      threads: 4,
      drainMs: 20_000,
      flushMs: 5_000,
      recycleAfter: {},
    });
  });

  it("are read from the environment", () => {
    const here = fileURLToPath(import.meta.url);
    const bytes = readFileSync(here);
    const env = {
      CONTROL_PLANE_GRPC_URL: "https://cairn.example:443, 10.0.0.6:50051",
      CAIRN_TLS_CA: here,
      CAIRN_TLS_CERT: here,
      CAIRN_TLS_KEY: here,
      CAIRN_NAMESPACE: "acme",
      CAIRN_TOKEN: " t-1 ",
      CAIRN_MODULES: "src/**/*.{flow,action}.ts, other.js,",
      CAIRN_CODEC: "codec.ts",
      CAIRN_TYPE_PREFIXES: "billing,media.encode.,*",
      CAIRN_WORKER_CAPACITY: "5",
      CAIRN_WORKER_THREADS: "1",
      CAIRN_WORKER_DRAIN_MS: "0",
      CAIRN_WORKER_FLUSH_MS: "7",
      CAIRN_WORKER_RECYCLE_ACTIONS: "1000",
      CAIRN_WORKER_RECYCLE_MEMORY_MB: "512",
    };
    const settings = readSettings(env, 4);
    expect(settings.certificates()).toEqual({ authority: bytes, own: { certificate: bytes, key: bytes } });
    expect(settings).toEqual({
      urls: ["https://cairn.example:443", "10.0.0.6:50051"],
      namespace: "acme",
      token: "t-1",
      certificates: expect.any(Function) as unknown,
      modules: ["src/**/*.{flow,action}.ts", "other.js"],
      codecModule: "codec.ts",
      prefixes: ["billing.", "media.encode.", ""],
      capacity: 5,
      threads: 1,
      drainMs: 0,
      flushMs: 7,
      recycleAfter: { actions: 1_000, memoryMb: 512 },
    });
  });

  it("say who it is by a key, which counts more than a token", () => {
    expect(readSettings({ CAIRN_KEY: " k ", CAIRN_TOKEN: "t" }, 4).token).toBe("k");
    expect(readSettings({ CAIRN_KEY: "", CAIRN_TOKEN: "t" }, 4).token).toBe("t");
  });

  it.each([
    [{ CAIRN_WORKER_CAPACITY: "1e1" }, 'CAIRN_WORKER_CAPACITY is a whole number from 1 to 1000000, not "1e1"'],
    [{ CAIRN_WORKER_CAPACITY: "many" }, "CAIRN_WORKER_CAPACITY is a whole number from 1"],
    [{ CAIRN_WORKER_CAPACITY: "0" }, "CAIRN_WORKER_CAPACITY is a whole number from 1"],
    [{ CAIRN_WORKER_TRHEADS: "1" }, "There is no setting CAIRN_WORKER_TRHEADS"],
    [{ CONTROL_PLANE_GRPC_URL: "ftp://x" }, "CONTROL_PLANE_GRPC_URL is the address"],
    [{ CAIRN_NAMESPACE: "a b" }, "CAIRN_NAMESPACE must have 1 to 100 letters"],
    [{ CONTROL_PLANE_GRPC_URL: "10.0.0.5:50051,ftp://x" }, 'not "ftp://x"'],
    [{ CAIRN_TLS_CA: "/nowhere" }, "CAIRN_TLS_CA is the path of a file in PEM: ENOENT"],
    [{ CAIRN_TLS_KEY: fileURLToPath(import.meta.url) }, "CAIRN_TLS_CERT and CAIRN_TLS_KEY belong together"],
    [{ CAIRN_TOKEN: "a b" }, "CAIRN_TOKEN has a character"],
    [{ CAIRN_KEY: "a b", CAIRN_TOKEN: "t" }, "CAIRN_KEY has a character"],
    [{ CAIRN_TYPE_PREFIXES: "x".repeat(501) }, "CAIRN_TYPE_PREFIXES has at most"],
  ])("that cannot be right are refused by name: %j", (env, message) => {
    expect(() => readSettings(env, 4)).toThrow(message);
  });

  it("are all that is read, and all of them are documented: no address of a database, no master key", () => {
    const read = new Set<string>();
    const env = new Proxy<Record<string, string>>(
      { DATABASE_URL: "postgres://nobody", CAIRN_MASTER_KEY: "secret" },
      {
        get: (target, name) => {
          read.add(String(name));
          return Reflect.get(target, name) as string;
        },
      },
    );
    readSettings(env, 4);
    readLogSettings(env);
    const page = readFileSync(new URL("../../../docs/workers.md", import.meta.url), "utf8");
    const documented = [...page.matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)].flatMap(([, names]) => names!.match(/[A-Z_]+/g)!);
    expect([...read].toSorted()).toEqual(documented.toSorted());
    expect(documented).not.toContain("DATABASE_URL");
  });

  it("are read in one place: no other file of the worker looks at the environment", () => {
    const folder = fileURLToPath(new URL("../src/", import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const looking = files.filter((name) =>
      /process\.env|DATABASE_URL|MASTER_KEY/.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(looking).toEqual(["main.ts"]);
  });
});

describe("addresses of control planes", () => {
  it.each([
    ["127.0.0.1:50051", "127.0.0.1:50051", false],
    ["cairn.example", "cairn.example:50051", false],
    ["http://10.0.0.5:80", "10.0.0.5:80", false],
    ["http://[::1]:9000/", "[::1]:9000", false],
    ["https://cairn.example:443", "cairn.example:443", true],
    ["https://cairn.example", "cairn.example:50051", true],
  ])("%s", (url, target, isSecure) => {
    expect(parseAddress(url)).toEqual({ target, isSecure });
  });

  it.each(["", "ftp://x", "http://", "http://x/path", "http://u:p@x", "x:port", "http://x?y"])("not %s", (url) => {
    expect(parseAddress(url)).toBeNull();
  });
});
