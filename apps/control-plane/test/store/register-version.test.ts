import { describe, expect, it } from "vitest";
import {
  findVersion,
  keepSources,
  promoteVersion,
  registerVersion,
  versionAtStart,
} from "../../src/store/register-version.ts";
import { NOOP, type StoreBed, storeBed } from "../support/test-store.ts";
import { echo, sums } from "../workflows/basics.ts";

const TWO = { ...NOOP, version: "2", programHash: "hash of 2" };

function versions(bed: StoreBed): Promise<unknown[]> {
  return bed.query("SELECT *, program::text, input_schema::text FROM cairn.workflow_versions ORDER BY name, version");
}

describe("registering a version", () => {
  it("inserts it and makes it current", async () => {
    const { client } = await storeBed();
    expect(
      await registerVersion(client, { ...TWO, inputSchema: '{"type":"number"}', tags: ["a"], maxAttempts: 3 }),
    ).toBe(true);
    expect(await versionAtStart(client, "default", NOOP.name)).toMatchObject({ version: "2" });
    expect(await findVersion(client, "default", NOOP.name, null)).toEqual({
      ...TWO,
      inputSchema: '{"type":"number"}',
      tags: ["a"],
      maxAttempts: 3,
    });
    expect(await findVersion(client, "default", NOOP.name, "1")).toEqual(NOOP);
    expect(await findVersion(client, "default", NOOP.name, "3")).toBeUndefined();
  });

  it("again changes nothing, whatever is current", async () => {
    const bed = await storeBed();
    await registerVersion(bed.client, TWO);
    const before = await versions(bed);
    expect(await registerVersion(bed.client, NOOP)).toBe(false);
    expect(await registerVersion(bed.client, { ...TWO, program: '{"other":1}', tags: ["other"] })).toBe(false);
    expect(await versions(bed)).toEqual(before);
    expect(await versionAtStart(bed.client, "default", NOOP.name)).toMatchObject({ version: "2" });
  });

  it("with another program is refused, and changes nothing", async () => {
    const bed = await storeBed();
    const before = await versions(bed);
    await expect(registerVersion(bed.client, { ...NOOP, programHash: "another" })).rejects.toThrow(
      "The version 1 of test.noop.v1 is registered with another program.",
    );
    expect(await versions(bed)).toEqual(before);
    await expect(registerVersion(bed.client, { ...NOOP, namespace: "other", programHash: "another" })).resolves.toBe(
      true,
    );
  });

  it("is whole or nothing: one that fails to become current is new the next time", async () => {
    const bed = await storeBed();
    await bed.query("ALTER TABLE cairn.current_versions ADD CONSTRAINT test CHECK (version <> '2')");
    await expect(registerVersion(bed.client, TWO)).rejects.toThrow("violates check constraint");
    await bed.query("ALTER TABLE cairn.current_versions DROP CONSTRAINT test");
    expect(await registerVersion(bed.client, TWO)).toBe(true);
    expect(await versionAtStart(bed.client, "default", NOOP.name)).toMatchObject({ version: "2" });
  });

  it("by many at once is done by one of them, and the others read", async () => {
    const bed = await storeBed();
    const clients = await Promise.all(Array.from({ length: 8 }, () => bed.connect()));
    const isNew = await Promise.all(clients.map((client) => registerVersion(client, TWO)));
    expect(isNew.filter(Boolean)).toHaveLength(1);
    const outcomes = await Promise.allSettled(
      clients.map((client, index) => registerVersion(client, { ...NOOP, version: "3", programHash: `hash ${index}` })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("the sources of a version", () => {
  it("are kept once for each way its code has looked, and each text once", async () => {
    const bed = await storeBed();
    const about = { namespace: "default", name: NOOP.name, version: "1", debug: '{"files":["a.ts","b.ts"]}' };
    const files = new Map([
      ["a.ts", "const a = '\0';"],
      ["b.ts", "const a = '\0';"],
    ]);
    await keepSources(bed.client, { ...about, sourceHash: "one", files });
    await keepSources(bed.client, { ...about, sourceHash: "one", files });
    await keepSources(bed.client, { ...about, sourceHash: "two", files: new Map([["a.ts", "const a = 1; // ä"]]) });
    const kept = await bed.query(
      `SELECT s.source_hash, f.key AS name, t.bytes
      FROM cairn.workflow_sources AS s, json_each_text(s.files) AS f
      JOIN cairn.source_files AS t ON t.digest = decode(f.value, 'hex') ORDER BY 1, 2`,
    );
    expect(kept.map((row) => [row["source_hash"], row["name"], String(row["bytes"])])).toEqual([
      ["one", "a.ts", "const a = '\0';"],
      ["one", "b.ts", "const a = '\0';"],
      ["two", "a.ts", "const a = 1; // ä"],
    ]);
    expect(await bed.query("SELECT FROM cairn.source_files")).toHaveLength(2);
  });

  it("of a workflow that is started are those it was compiled from", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await (await cairn.start(echo, "x")).result();
    const [row] = await bed.query(
      `SELECT s.debug, f.key AS name, convert_from(t.bytes, 'UTF8') AS text
      FROM cairn.workflow_sources AS s, json_each_text(s.files) AS f
      JOIN cairn.source_files AS t ON t.digest = decode(f.value, 'hex') WHERE s.name = 'test.echo.v1'`,
    );
    expect(row!["name"]).toContain("test/workflows/basics.ts");
    expect(row!["text"]).toContain('export const echo = workflow("test.echo.v1"');
    expect(row!["debug"]).toMatchObject({ files: [row!["name"]] });
  });
});

describe("promoting a version", () => {
  it("makes a registered one current, also an older one", async () => {
    const { client } = await storeBed();
    await registerVersion(client, TWO);
    expect(await promoteVersion(client, "default", NOOP.name, "1")).toBe(true);
    expect(await versionAtStart(client, "default", NOOP.name)).toMatchObject({ version: "1" });
  });

  it("does nothing to one that is not there, or of another namespace", async () => {
    const { client } = await storeBed();
    await registerVersion(client, { ...NOOP, namespace: "other", version: "9" });
    expect(await promoteVersion(client, "default", NOOP.name, "9")).toBe(false);
    expect(await promoteVersion(client, "default", "test.unknown.v1", "1")).toBe(false);
    expect(await versionAtStart(client, "default", NOOP.name)).toMatchObject({ version: "1" });
  });

  it("decides what is started without a version, by the library and by SQL", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const [version] = await bed.query("SELECT * FROM cairn.workflow_versions WHERE name = 'test.sums.v1'");
    const values = [version!["program"], version!["program_hash"]].map((value) =>
      typeof value === "string" ? value : JSON.stringify(value),
    );
    await bed.query(
      `INSERT INTO cairn.workflow_versions (namespace, name, version, kind, program, program_hash, created_at)
      VALUES ('default', 'test.sums.v1', 'older', 'workflow', $1, $2, cairn.now())`,
      ...values,
    );
    await cairn.promote("test.sums.v1", "older");
    const run = await cairn.start(sums, { n: 2 });
    expect(await run.result()).toBe(3);
    expect((await run.status()).version).toBe("older");
    const [bySql] = await bed.query(`SELECT cairn.start_run('test.sums.v1', '{"n":3}') AS id`);
    expect(await cairn.run(bySql!["id"]).result()).toBe(6);
    expect((await cairn.run(bySql!["id"]).status()).version).toBe("older");
    const named = await cairn.start(sums, { n: 1 }, { version: version!["version"] });
    expect((await named.status()).version).toBe(version!["version"]);
    await expect(cairn.promote("test.sums.v1", "none")).rejects.toMatchObject({ code: "UnknownType" });
  });
});
