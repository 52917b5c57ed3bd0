import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readSettings } from "../src/index.ts";
import { parseAddress } from "../src/session/address.ts";

describe("settings of a worker", () => {
  it("have defaults", () => {
    expect(readSettings({}, 4)).toEqual({
      url: "127.0.0.1:50051",
      namespace: "default",
      token: null,
      modules: null,
      prefixes: ["default."],
      capacity: 100,
      threads: 4,
      drainMs: 20_000,
      flushMs: 5_000,
      recycleAfter: {},
    });
  });

  it("are read from the environment", () => {
    const env = {
      CONTROL_PLANE_GRPC_URL: "https://cairn.example:443",
      CAIRN_NAMESPACE: "acme",
      CAIRN_TOKEN: " t-1 ",
      CAIRN_MODULES: "src/**/*.{flow,action}.ts, other.js,",
      CAIRN_TYPE_PREFIXES: "billing.,*",
      CAIRN_WORKER_CAPACITY: "5",
      CAIRN_WORKER_THREADS: "1",
      CAIRN_WORKER_DRAIN_MS: "0",
      CAIRN_WORKER_FLUSH_MS: "7",
      CAIRN_WORKER_RECYCLE_ACTIONS: "1000",
      CAIRN_WORKER_RECYCLE_MEMORY_MB: "512",
    };
    expect(readSettings(env, 4)).toEqual({
      url: "https://cairn.example:443",
      namespace: "acme",
      token: "t-1",
      modules: ["src/**/*.{flow,action}.ts", "other.js"],
      prefixes: ["billing.", ""],
      capacity: 5,
      threads: 1,
      drainMs: 0,
      flushMs: 7,
      recycleAfter: { actions: 1_000, memoryMb: 512 },
    });
  });

  it.each([
    [{ CAIRN_WORKER_CAPACITY: "many" }, "CAIRN_WORKER_CAPACITY is a whole number from 1"],
    [{ CAIRN_WORKER_CAPACITY: "0" }, "CAIRN_WORKER_CAPACITY is a whole number from 1"],
    [{ CAIRN_WORKER_TRHEADS: "1" }, "There is no setting CAIRN_WORKER_TRHEADS"],
    [{ CONTROL_PLANE_GRPC_URL: "ftp://x" }, "CONTROL_PLANE_GRPC_URL is the address"],
    [{ CAIRN_NAMESPACE: "a b" }, "CAIRN_NAMESPACE must have 1 to 100 letters"],
    [{ CAIRN_TOKEN: "a b" }, "CAIRN_TOKEN has a character"],
    [{ CAIRN_TYPE_PREFIXES: "x".repeat(501) }, "CAIRN_TYPE_PREFIXES has at most"],
  ])("that cannot be right are refused by name: %j", (env, message) => {
    expect(() => readSettings(env, 4)).toThrow(message);
  });

  it("are all that is read: no address of a database, no key", () => {
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
    expect([...read].filter((name) => /DATABASE|KEY/.test(name))).toEqual([]);
    expect(read.has("CAIRN_TOKEN")).toBe(true);
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
