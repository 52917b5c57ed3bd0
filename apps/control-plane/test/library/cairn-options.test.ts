import { describe, expect, it } from "vitest";
import { createCairn } from "../../src/index.ts";

describe("createCairn refuses, before it looks for a database,", () => {
  it.each([
    [{ runloops: -1 }, "runloops is a whole number from 0 to 64, not -1"],
    [{ runloops: 1.5 }, "runloops is a whole number from 0 to 64, not 1.5"],
    [{ concurrency: 0 }, "concurrency is a whole number from 1 to 100000, not 0"],
    [{ leaseMs: Number.NaN }, "leaseMs is a whole number from 100 to 86400000, not null"],
    [{ leaseMs: 1_000, heartbeatMs: 900 }, "heartbeatMs (900) is at most half of leaseMs (1000)"],
    [{ namespace: "a:b" }, "A namespace has 1 to 100 letters, digits, dots, hyphens and underscores"],
    [{ concurency: 5 }, 'createCairn() has no option "concurency"'],
  ])("%j", async (options, message) => {
    const refused = createCairn({ databaseUrl: "postgres://nobody@127.0.0.1:1/none", ...options });
    await expect(refused).rejects.toMatchObject({ code: "InvalidOption", message: expect.stringContaining(message) });
  });

  it("a malformed CAIRN_RUNLOOPS, by its name", async () => {
    process.env["CAIRN_RUNLOOPS"] = "two";
    try {
      await expect(createCairn()).rejects.toMatchObject({
        code: "InvalidOption",
        message: 'CAIRN_RUNLOOPS is a whole number from 0 to 64, not "two"',
      });
    } finally {
      delete process.env["CAIRN_RUNLOOPS"];
    }
  });
});
