import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrate, requireMigrated } from "../../src/store/migrate.ts";
import { databaseUrl, runOn, testServer } from "../support/test-database.ts";
import { storeBed } from "../support/test-store.ts";

const FILES = readdirSync(new URL("../../migrations/", import.meta.url)).sort();

async function emptyDatabase(): Promise<{ readonly url: string; readonly sql: pg.Client }> {
  const server = await testServer();
  const name = `test_${randomBytes(8).toString("hex")}`;
  await runOn(server, `CREATE DATABASE ${name}`);
  onTestFinished(() => runOn(server, `DROP DATABASE ${name} WITH (FORCE)`));
  const sql = new pg.Client({ connectionString: databaseUrl(server, name) });
  sql.on("error", () => {});
  await sql.connect();
  return { url: databaseUrl(server, name), sql };
}

async function appliedIn(sql: pg.Client): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>("SELECT name FROM cairn.migrations ORDER BY name");
  return rows.map(({ name }) => `${name}.sql`);
}

describe("migrations", () => {
  it("are numbered without gaps, and each is named for what it does", () => {
    FILES.forEach((name, index) => {
      expect(name).toMatch(/^\d{3}_[a-z]+_[a-z_]+\.sql$/);
      expect(Number(name.slice(0, 3))).toBe(index + 1);
    });
  });

  it("only expand: what an earlier release reads is taken away by none", () => {
    const taken = /\b(DROP (TABLE|COLUMN|VIEW|FUNCTION|INDEX)|RENAME|ALTER COLUMN \w+ (TYPE|SET NOT NULL))\b/i;
    for (const name of FILES) {
      const text = readFileSync(new URL(`../../migrations/${name}`, import.meta.url), "utf8");
      // What functions do when they are called, retention for one, is not done by the migration.
      expect(taken.exec(text.replace(/\$\$.*?\$\$/gs, ""))?.[0], name).toBeUndefined();
    }
  });

  it("are only looked for, where nobody is to migrate: nothing is written", async () => {
    const { url, sql } = await emptyDatabase();
    await expect(requireMigrated(url)).rejects.toThrow("lacks the migrations 001_create_engine");
    expect((await sql.query("SELECT FROM pg_namespace WHERE nspname = 'cairn'")).rowCount).toBe(0);
    await migrate(url);
    await requireMigrated(url);
    await sql.query("INSERT INTO cairn.migrations VALUES ('999_later_release', '', cairn.now())");
    await expect(requireMigrated(url)).rejects.toThrow("later release");
  });

  it("are applied once each: a second time changes nothing", async () => {
    const { url, sql } = await emptyDatabase();
    await migrate(url);
    const before = (await sql.query("SELECT * FROM cairn.migrations ORDER BY name")).rows;
    await migrate(url);
    expect((await sql.query("SELECT * FROM cairn.migrations ORDER BY name")).rows).toEqual(before);
    expect(await appliedIn(sql)).toEqual(FILES);
  });

  it("of many processes that begin at once are applied by one, and all of them go on", async () => {
    const { url, sql } = await emptyDatabase();
    await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
    expect(await appliedIn(sql)).toEqual(FILES);
  });

  it("of a later release are not understood: the database is refused, and nothing in it is changed", async () => {
    const { url, sql } = await emptyDatabase();
    await migrate(url);
    await sql.query("INSERT INTO cairn.migrations VALUES ('999_from_future', 'digest', clock_timestamp())");
    await sql.query("DELETE FROM cairn.migrations WHERE name LIKE '002%'");
    const before = await appliedIn(sql);
    await expect(migrate(url)).rejects.toThrow(
      "The database has the migration 999_from_future of a later release. Use that release or newer.",
    );
    expect(await appliedIn(sql)).toEqual(before);
  });

  it("that were applied with another text are refused", async () => {
    const { url, sql } = await emptyDatabase();
    await migrate(url);
    await sql.query("UPDATE cairn.migrations SET digest = 'of another text' WHERE name LIKE '001%'");
    await expect(migrate(url)).rejects.toThrow(
      "The migration 001_create_engine was applied to the database with another text.",
    );
  });

  it("do not wait long for a table that others use, and leave nothing half done", async () => {
    const { url, sql } = await emptyDatabase();
    await migrate(url);
    await sql.query("DROP VIEW cairn.workflow_event; DELETE FROM cairn.migrations WHERE name LIKE '002%'");
    // The migration creates cairn.notify() first: it waits for whoever creates it now, and does not wait for long.
    await sql.query("DROP FUNCTION cairn.notify(text)");
    await sql.query("BEGIN; CREATE FUNCTION cairn.notify(channel text) RETURNS void LANGUAGE sql AS $$ SELECT $$");
    await expect(migrate(url)).rejects.toThrow(
      /The migration 002_create_sql_interface failed: error: canceling statement due to lock timeout/,
    );
    await sql.query("ROLLBACK");
    expect(await appliedIn(sql)).toEqual(FILES.filter((name) => !name.startsWith("002")));
    expect((await sql.query("SELECT to_regclass('cairn.workflow_event') AS view")).rows).toEqual([{ view: null }]);
  });

  it("make the partitions of the coming weeks in a database that nobody has looked after for months", async () => {
    const bed = await storeBed();
    await bed.sql.query("UPDATE cairn.test_clock SET passed = '100 days'");
    await migrate(bed.url);
    await bed.query("SELECT cairn.start_run('test.noop.v1')");
    expect(await bed.query("SELECT kind FROM cairn.run_events")).toEqual([{ kind: "created" }]);
  });
});
