import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createTestDatabase, testServer } from "./test-database.ts";
import { isRunning } from "./test-run.ts";
import { startTestServer } from "./test-server.ts";

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

it("gives each test a migrated database of its own, even to many at once", async () => {
  const databases = await Promise.all(Array.from({ length: 5 }, () => createTestDatabase()));
  for (const { url, drop } of databases) {
    const client = await connect(url);
    const { rows } = await client.query("SELECT to_regnamespace('cairn') IS NOT NULL AS migrated");
    expect(rows).toEqual([{ migrated: true }]);
    await client.query("CREATE TABLE mine ()");
    await drop();
  }
  expect(new Set(databases.map(({ url }) => url)).size).toBe(5);
});

it("drops a database that is still connected to", async () => {
  const { url, drop } = await createTestDatabase();
  await connect(url);
  await drop();
  await expect(connect(url)).rejects.toThrow("does not exist");
});

it("runs the Postgres that CAIRN_TEST_POSTGRES asks for, with room for many connections", async () => {
  const client = await connect(await testServer());
  const { rows } = await client.query(
    "SELECT current_setting('server_version') v, current_setting('max_connections') n",
  );
  expect(rows[0].v).toMatch(new RegExp(`^${process.env["CAIRN_TEST_POSTGRES"] ?? "18"}\\.`));
  expect(rows[0].n).toBe("300");
});

it("starts servers that can be killed and started again under the same address, with what was committed", async () => {
  const server = await startTestServer();
  const before = server.pid;
  const client = await connect(server.url);
  await client.query("CREATE TABLE kept AS SELECT 1 AS n");
  await server.kill();
  expect(isRunning(before)).toBe(false);
  await expect(connect(server.url)).rejects.toThrow("ECONNREFUSED");

  await server.restart();
  expect(server.pid).not.toBe(before);
  const { rows } = await (await connect(server.url)).query("SELECT n FROM kept");
  expect(rows).toEqual([{ n: 1 }]);
  await server.stop();
  await server.stop();
  expect(isRunning(server.pid)).toBe(false);
});
