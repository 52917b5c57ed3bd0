import { describe, expect, it } from "vitest";
import { createCairn } from "../../src/index.ts";
import { checkCairnOptions, engineSettings } from "../../src/library/cairn-options.ts";
import { controlPlaneSettings } from "../../src/process/control-plane-options.ts";
import { isPooled, pooledUrl } from "../../src/store/pooled-url.ts";

it("leases last 30 s and heartbeats come every 10 s, unless something else is said", () => {
  expect(engineSettings({})).toMatchObject({ leaseMs: 30_000, heartbeatMs: 10_000 });
  expect(engineSettings({ leaseMs: 60_000, heartbeatMs: 5_000 })).toMatchObject({
    leaseMs: 60_000,
    heartbeatMs: 5_000,
  });
});

it("what comes from the environment may not be there", () => {
  // The compiler checks this, too: with exactOptionalPropertyTypes such an option says so.
  const nothing = process.env["CAIRN_NOTHING"];
  const secrets = { masterKey: nothing, oldMasterKey: nothing };
  const both = { databaseUrl: nothing, folder: nothing, listenUrl: nothing, secrets };
  expect(() => checkCairnOptions({ ...both, namespace: nothing })).not.toThrow();
  expect(controlPlaneSettings({ ...both, advertiseUrl: nothing, publicUrl: nothing })).toMatchObject({
    publicUrl: null,
  });
});

describe("createCairn refuses, before it looks for a database,", () => {
  it.each([
    [{ runloops: -1 }, "runloops is a whole number from 0 to 64, not -1"],
    [{ runloops: 1.5 }, "runloops is a whole number from 0 to 64, not 1.5"],
    [{ concurrency: 0 }, "concurrency is a whole number from 1 to 100000, not 0"],
    [{ leaseMs: Number.NaN }, "leaseMs is a whole number from 400 to 86400000, not null"],
    [{ leaseMs: 100, heartbeatMs: 50 }, "leaseMs is a whole number from 400 to 86400000, not 100"],
    [{ leaseMs: 1_000, heartbeatMs: 50 }, "heartbeatMs is a whole number from 200 to 86400000, not 50"],
    [{ leaseMs: 1_000, heartbeatMs: 900 }, "heartbeatMs (900) is at most half of leaseMs (1000)"],
    [{ leases: { "a.": 5 } }, 'The lease of "a." is a whole number from 400 to 86400000, not 5'],
    [{ leases: { "a.": 15_000 } }, 'The lease of "a." (15000) is at least twice heartbeatMs (10000)'],
    [
      { leases: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`a${n}`, 60_000 + n])) },
      "leases has 9 different lengths: at most 8",
    ],
    [{ patienceMs: -1 }, "patienceMs is a whole number from 0 to 1800000, not -1"],
    [{ namespace: "a:b" }, "A namespace has 1 to 100 letters, digits, dots, hyphens and underscores"],
    [{ namespace: ".." }, "A namespace is not . or .., which are folders"],
    [{ concurency: 5 }, 'createCairn() has no option "concurency"'],
  ])("%j", async (options, message) => {
    const refused = createCairn({ databaseUrl: "postgres://nobody@127.0.0.1:1/none", ...options });
    await expect(refused).rejects.toMatchObject({ code: "InvalidOption", message: expect.stringContaining(message) });
  });

  it.each([
    ["CAIRN_RUNLOOPS", "two", 'CAIRN_RUNLOOPS is a whole number from 0 to 64, not "two"'],
    ["CAIRN_POOLED", "yes", 'CAIRN_POOLED is 1 or 0, not "yes"'],
  ])("a malformed %s, by its name", async (name, value, message) => {
    process.env[name] = value;
    try {
      await expect(createCairn()).rejects.toMatchObject({ code: "InvalidOption", message });
    } finally {
      delete process.env[name];
    }
  });
});

it.each([
  ["postgres://u:p@h/d", "postgres://u:p@h/d?pgbouncer=true"],
  ["postgres://u:p@h/d?sslmode=disable", "postgres://u:p@h/d?sslmode=disable&pgbouncer=true"],
  ["postgres://u:p@h/d?pgbouncer=true&sslmode=disable", "postgres://u:p@h/d?pgbouncer=true&sslmode=disable"],
])("the address %s behind a pooler is %s", (url, pooled) => {
  expect(pooledUrl(url)).toBe(pooled);
  expect([isPooled(url), isPooled(pooled)]).toEqual([url === pooled, true]);
});
