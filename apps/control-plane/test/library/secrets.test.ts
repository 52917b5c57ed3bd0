import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dumpTables, formsOf } from "../support/dump-tables.ts";
import { testBed } from "../support/test-engine.ts";
import { seen, signingIn, spilling, wants } from "../workflows/secretive.ts";

const masterKey = randomBytes(32).toString("hex");

describe("secrets in library mode", () => {
  it("are set by cairn.secrets, and read for the actions of the process", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ secrets: { masterKey } });
    expect(await cairn.secrets.set("smtp-password", "hunter2 of the library")).toMatchObject({ version: 1 });
    await cairn.secrets.set("api.token", "token of the library");
    const run = await cairn.start(signingIn, "ada");
    expect(await run.result()).toBe("ada, 22 letters");
    expect(seen.get(run.id)).toBe("hunter2 of the library");
    const failed = await cairn.start(spilling, "ada");
    const error = (await failed.result().catch((each: unknown) => each)) as Error;
    expect(error.cause).toMatchObject({ name: "TypeError", message: "cannot sign in with ***" });
    expect((await cairn.secrets.list()).map(({ name }) => name)).toEqual(["api.token", "smtp-password"]);
    expect(await cairn.secrets.rotate()).toEqual({ secrets: 2, unreadable: [] });
    await expect(cairn.secrets.set("no good", "hunter2")).rejects.toMatchObject({ code: "InvalidOption" });
    const dump = await dumpTables(bed);
    for (const form of ["hunter2 of the library", "token of the library", masterKey].flatMap(formsOf)) {
      expect(dump).not.toContain(form);
    }
  });

  it("that are missing fail at once; without a key it is tried, and said", async () => {
    const bed = await testBed();
    const cairn = await bed.open({ secrets: { masterKey } });
    const run = await cairn.start(wants, "x");
    await expect(run.result()).rejects.toMatchObject({ name: "SecretMissing" });
    expect((await run.steps())[0]!.attempts).toHaveLength(1);
    await cairn.close();
    const keyless = await bed.open();
    const other = await keyless.start(wants, "x");
    await expect(other.result()).rejects.toThrow("no master key");
    expect((await other.steps())[0]!.attempts).toHaveLength(3);
    await expect(bed.open({ secrets: { masterKey: "short" } })).rejects.toThrow("32 bytes");
    await expect(bed.open({ secrets: { key: masterKey } as object })).rejects.toThrow('no option "key"');
    await expect(bed.open({ codec: {} as never })).rejects.toThrow("encode and decode");
  });
});
