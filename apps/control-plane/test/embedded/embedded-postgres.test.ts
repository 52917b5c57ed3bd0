import { spawn } from "node:child_process";
import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { FolderInUse, startEmbeddedPostgres, type EmbeddedPostgres } from "../../src/embedded/embedded-postgres.ts";
import { readPostmasterFile } from "../../src/embedded/postmaster-file.ts";
import { serverUserFor } from "../../src/embedded/server-user.ts";
import { endServerOf, isRunning, temporaryFolder } from "../support/test-run.ts";
import { build, startHolder } from "./holder.ts";

beforeAll(build);

async function start(folder: string, log?: (line: string) => void): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(log === undefined ? { folder } : { folder, log });
  onTestFinished(() => server.stop());
  return server;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

describe("an embedded Postgres", () => {
  it("is there after one call, durable, on loopback alone, and behind a password", async () => {
    const folder = join(temporaryFolder(), ".cairn", "postgres");
    const lines: string[] = [];
    const { url, pid, adopted } = await start(folder, (line) => lines.push(line));
    expect(adopted).toBe(false);
    expect(isRunning(pid)).toBe(true);
    expect(lines).toEqual([expect.stringContaining(`Postgres is started (pid ${pid}, port ${new URL(url).port})`)]);
    expect(
      await query(
        url,
        `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'listen_addresses',
          'server_encoding', 'synchronous_commit', 'unix_socket_directories') ORDER BY name`,
      ),
    ).toEqual([
      { name: "fsync", setting: "on" },
      { name: "full_page_writes", setting: "on" },
      { name: "listen_addresses", setting: "127.0.0.1" },
      { name: "server_encoding", setting: "UTF8" },
      { name: "synchronous_commit", setting: "on" },
      { name: "unix_socket_directories", setting: "" },
    ]);
    const wrong = Object.assign(new URL(url), { password: "guessed" }).href;
    await expect(query(wrong, "SELECT 1")).rejects.toThrow("password authentication failed");
    expect(statSync(join(folder, "password")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("keeps its data over a stop and a start, and may be stopped twice", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    await query(first.url, "CREATE TABLE kept AS SELECT 1 AS n");
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);

    const second = await start(folder);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, "SELECT n FROM kept")).toEqual([{ n: 1 }]);
  });

  it("ends sessions that are still open when it is stopped", async () => {
    const server = await start(temporaryFolder());
    const client = new pg.Client({ connectionString: server.url });
    const errors: Error[] = [];
    client.on("error", (error) => errors.push(error));
    await client.connect();
    await server.stop();
    await until(() => errors.length > 0);
    expect(errors[0]!.message).toContain("terminating connection");
  });

  it("lives in folders with spaces, quotes and letters of all kinds, also where paths are too long for sockets", async () => {
    const folder = join(temporaryFolder("mein Projekt's Ärger – 数据"), "x".repeat(120), "postgres");
    const server = await start(folder);
    expect(await query(server.url, "SELECT 'ä' AS a")).toEqual([{ a: "ä" }]);
    await server.stop();
  });

  it("does not care about the working directory, nor about variables for other servers", async () => {
    const folder = temporaryFolder();
    process.env["PGDATA"] = "/nowhere";
    process.env["PGPORT"] = "1";
    process.env["PGSSLMODE"] = "require";
    onTestFinished(() => {
      for (const name of ["PGDATA", "PGPORT", "PGSSLMODE"]) delete process.env[name];
    });
    const holder = await startHolder(folder, { cwd: "/" });
    expect(holder.answer.error).toBeUndefined();
    expect(await query(holder.answer.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
    await holder.stop();
  });
});

describe("after a kill", () => {
  it("of Postgres, starts it again under the same address, with what was committed", async () => {
    const folder = temporaryFolder();
    const lines: string[] = [];
    const server = await start(folder, (line) => lines.push(line));
    await query(server.url, "CREATE TABLE kept AS SELECT 1 AS n");
    const before = server.pid;
    process.kill(before, "SIGKILL");
    await until(() => lines.some((line) => line.startsWith("Postgres is back")));
    expect(server.pid).not.toBe(before);
    expect(await query(server.url, "SELECT n FROM kept")).toEqual([{ n: 1 }]);
    await server.stop();
    expect(isRunning(server.pid)).toBe(false);
  });

  it("of Postgres again and again, gives up and says so", async () => {
    const lines: string[] = [];
    const server = await start(temporaryFolder(), (line) => lines.push(line));
    for (let restarts = 1; restarts <= 5; restarts++) {
      process.kill(server.pid, "SIGKILL");
      await until(() => lines.filter((line) => line.startsWith("Postgres is back")).length === restarts);
    }
    process.kill(server.pid, "SIGKILL");
    await until(() => lines.at(-1)!.endsWith("it is not started again"));
    await server.stop();
  });

  it("of one of Postgres's processes, after which it recovers by itself, holds the folder as before", async () => {
    const folder = temporaryFolder();
    const lines: string[] = [];
    const server = await start(folder, (line) => lines.push(line));
    const rows = await query(server.url, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
    const before = server.pid;
    process.kill((rows[0] as { pid: number }).pid, "SIGKILL");
    await until(() => lines.some((line) => line.startsWith("Postgres is back")));
    expect(server.pid).toBe(before);
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(FolderInUse);
  });

  it("of the Cairn process, adopts the server that is left, with its sessions", async () => {
    const folder = temporaryFolder();
    const holder = await startHolder(folder);
    await query(holder.answer.url, "CREATE TABLE kept AS SELECT 1 AS n");
    await holder.kill();
    expect(isRunning(holder.answer.pid)).toBe(true);

    const server = await start(folder);
    expect(server).toMatchObject({ adopted: true, pid: holder.answer.pid, url: holder.answer.url });
    expect(await query(server.url, "SELECT n FROM kept")).toEqual([{ n: 1 }]);
    await server.stop();
    expect(isRunning(server.pid)).toBe(false);
  });

  it("of both, starts over a stale lock file", async () => {
    const folder = temporaryFolder();
    const holder = await startHolder(folder);
    await query(holder.answer.url, "CREATE TABLE kept AS SELECT 1 AS n");
    await holder.kill();
    await endServerOf(join(folder, "data"));
    expect(readPostmasterFile(join(folder, "data"))?.pid).toBe(holder.answer.pid);

    const server = await start(folder);
    expect(server.adopted).toBe(false);
    expect(await query(server.url, "SELECT n FROM kept")).toEqual([{ n: 1 }]);
  });

  it("is not misled by another process that has got the server's number", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    await query(first.url, "CREATE TABLE kept AS SELECT 1 AS n");
    const file = join(folder, "data", "postmaster.pid");
    const [, ...rest] = readFileSync(file, "utf8").split("\n");
    await first.stop();
    const user = serverUserFor(join(folder, "data"));
    // As Postgres's own user: of others' processes Postgres itself knows that they are not it.
    const other = spawn("sleep", ["600"], { stdio: "ignore", ...user });
    onTestFinished(() => {
      other.kill();
    });
    writeFileSync(file, [other.pid, ...rest].join("\n"));

    const second = await start(folder);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, "SELECT n FROM kept")).toEqual([{ n: 1 }]);
    expect(isRunning(other.pid!)).toBe(true);
  });

  it("starts over the empty lock file that a power cut leaves", async () => {
    const folder = temporaryFolder();
    await (await start(folder)).stop();
    writeFileSync(join(folder, "data", "postmaster.pid"), "");
    expect((await start(folder)).adopted).toBe(false);
  });

  it("adopts a server whose folder was renamed meanwhile", async () => {
    const folder = temporaryFolder("before");
    const holder = await startHolder(folder);
    await holder.kill();
    const renamed = join(folder, "..", "after");
    renameSync(folder, renamed);
    const server = await start(renamed);
    expect(server).toMatchObject({ adopted: true, pid: holder.answer.pid });
  });
});

describe("two at once", () => {
  it("on a new folder: one gets it, the other says who did", async () => {
    const folder = temporaryFolder();
    const holders = await Promise.all([startHolder(folder), startHolder(folder)]);
    const winner = holders.find(({ answer }) => answer.error === undefined);
    const loser = holders.find(({ answer }) => answer.error !== undefined);
    expect(loser!.answer.error).toMatchObject({ name: "FolderInUse", code: "FOLDER_IN_USE", pid: winner!.pid });
    expect(await query(winner!.answer.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
    expect(readdirSync(folder).filter((name) => name.startsWith("data"))).toEqual(["data"]);
    await winner!.stop();
  });

  it("on a folder in use: the second is told the process, since when, and what to do", async () => {
    const folder = temporaryFolder();
    const began = Date.now();
    const holder = await startHolder(folder);
    const refused = await startEmbeddedPostgres({ folder }).catch((error: unknown) => error as FolderInUse);
    expect(refused).toBeInstanceOf(FolderInUse);
    expect(refused).toMatchObject({ folder, pid: holder.pid });
    const { since, message } = refused as FolderInUse;
    expect(since.getTime()).toBeGreaterThanOrEqual(began);
    expect(message).toBe(
      `${folder} is in use by the process with pid ${holder.pid} since ${since.toISOString()}: stop that process, use ` +
        "another folder, or give both the same database by DATABASE_URL.",
    );
    // The one that holds it has not been disturbed.
    expect(await query(holder.answer.url, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
    await holder.stop();
    expect(isRunning(holder.answer.pid)).toBe(false);
  });

  it("within one process: the same", async () => {
    const folder = temporaryFolder();
    await start(folder);
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow(`in use by this process (pid ${process.pid})`);
  });

  it("one after the other: the folder is free as soon as its holder is killed", async () => {
    const folder = temporaryFolder();
    for (let turn = 0; turn < 5; turn++) {
      const holder = await startHolder(folder);
      expect(holder.answer).toMatchObject({ adopted: turn > 0 });
      await holder.kill();
    }
    await (await start(folder)).stop();
  });
});

describe("a folder that cannot be used", () => {
  async function failureOf(folder: string): Promise<{ code: string; message: string }> {
    const error: unknown = await startEmbeddedPostgres({ folder }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "EmbeddedPostgresFailed" });
    expect((error as Error).message).not.toContain("\n");
    return error as { code: string; message: string };
  }

  async function usedFolder(): Promise<string> {
    const folder = temporaryFolder();
    await (await start(folder)).stop();
    return folder;
  }

  it("since it is damaged, is refused with Postgres's reason", async () => {
    const folder = await usedFolder();
    rmSync(join(folder, "data", "global", "pg_control"));
    const { code, message } = await failureOf(folder);
    expect(code).toBe("DOES_NOT_START");
    expect(message).toContain("pg_control");
    expect(message).toContain("restore it from a backup or delete it to begin anew");
  });

  it("since it is something else, is left alone", async () => {
    const folder = await usedFolder();
    rmSync(join(folder, "data", "PG_VERSION"));
    expect(await failureOf(folder)).toMatchObject({
      code: "FOLDER_UNUSABLE",
      message: expect.stringContaining("is not a database of Postgres") as string,
    });
  });

  it("since another version made it, is refused with both versions", async () => {
    const folder = await usedFolder();
    writeFileSync(join(folder, "data", "PG_VERSION"), "12\n");
    expect((await failureOf(folder)).message).toContain("was made by Postgres 12, and the embedded one is 18");
  });

  it("since its password is gone or another's, is refused, and no server is left", async () => {
    const folder = await usedFolder();
    writeFileSync(join(folder, "password"), "another\n");
    expect((await failureOf(folder)).message).toContain("is not the password");
    expect(readPostmasterFile(join(folder, "data"))).toBeUndefined();
    rmSync(join(folder, "password"));
    expect((await failureOf(folder)).message).toContain("put it back");
  });

  it("since another's password stands beside a server that runs, is refused at once", async () => {
    const folder = temporaryFolder();
    const holder = await startHolder(folder);
    await holder.kill();
    writeFileSync(join(folder, "password"), "another\n");
    expect((await failureOf(folder)).message).toContain("is not the password");
  });

  it("since it is a file, is refused", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(await failureOf(join(file, "postgres"))).toMatchObject({ code: "FOLDER_UNUSABLE" });
  });
});
