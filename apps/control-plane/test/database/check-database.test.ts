import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { checkDatabase, DatabaseUnusable } from "../../src/database/check-database.ts";
import { connectionProblem } from "../../src/database/connection-problem.ts";
import { urlOf } from "../../src/embedded/connection.ts";
import { reachServer, stopServer } from "../../src/embedded/server.ts";
import { createTestDatabase, databaseUrl, runOn, testServer } from "../support/test-database.ts";
import { temporaryFolder } from "../support/test-run.ts";
import { openTestCluster } from "../support/test-server.ts";
import { oneRowServer, refusingServer, startFakeServer } from "./fake-server.ts";

const PASSWORD = "s3cret%40pass";

let server: string;
beforeAll(async () => {
  server = await testServer();
});

function at(
  changes: Partial<Record<"hostname" | "port" | "username" | "password" | "pathname" | "search", string>>,
): string {
  return Object.assign(new URL(server), changes).href;
}

async function problemOf(url: string, answerLimitMs?: number): Promise<DatabaseUnusable> {
  const problem: unknown = await checkDatabase(url, answerLimitMs).then(
    () => "usable",
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(DatabaseUnusable);
  const { message, stack } = problem as DatabaseUnusable;
  expect(message).not.toContain("\n");
  for (const secret of [new URL(server).password, PASSWORD, decodeURIComponent(PASSWORD)]) {
    expect(`${message} ${stack}`).not.toContain(secret);
  }
  return problem as DatabaseUnusable;
}

/** A role without rights of its own, and a database to look at with it. */
async function plainRole(): Promise<{ asOwner: string; asRole: string; role: string; database: string }> {
  const { url, drop } = await createTestDatabase();
  const database = new URL(url).pathname.slice(1);
  const role = `role_of_${database}`;
  await runOn(server, `CREATE ROLE ${role} LOGIN PASSWORD '${decodeURIComponent(PASSWORD)}'`);
  onTestFinished(async () => {
    await drop();
    await runOn(server, `DROP ROLE ${role}`);
  });
  const asRole = databaseUrl(at({ username: role, password: PASSWORD }), database);
  return { asOwner: url, asRole, role, database };
}

describe("a database that can be used", () => {
  it("passes, empty or migrated", async () => {
    await checkDatabase(server);
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    await checkDatabase(url);
  });

  it("passes for a role that may only use the schema which is there", async () => {
    const { asOwner, asRole, role } = await plainRole();
    await runOn(asOwner, `GRANT USAGE ON SCHEMA cairn TO ${role}`);
    await checkDatabase(asRole);
  });
});

describe("a URL", () => {
  it.each([
    "",
    "mysql://root:s3cret%40pass@localhost/db",
    "localhost:5432",
    "postgres://u:s3cret%40pass@host:port/db",
    "postgres://u:p@localhost/db?sslrootcert=/nowhere/ca.pem&sslmode=verify-full",
  ])("that is none is called that: %s", async (url) => {
    const { code, message } = await problemOf(url);
    expect(code).toBe("MALFORMED_URL");
    expect(message).toContain("write postgres://user:password@host:5432/database");
  });
});

describe("a connection that fails", () => {
  it("since nothing listens there", async () => {
    const { code, message } = await problemOf(at({ port: "1" }));
    expect(code).toBe("UNREACHABLE");
    expect(message).toBe("No database answers on 127.0.0.1:1 (connection refused): is Postgres running there?");
  });

  it("since nothing listens on either address of a name", async () => {
    expect((await problemOf(at({ hostname: "localhost", port: "1" }))).message).toContain(
      "localhost:1 (connection refused)",
    );
  });

  it("since the name does not exist", async () => {
    const { code, message } = await problemOf(at({ hostname: "no-such-host.invalid" }));
    expect(code).toBe("NAME_NOT_RESOLVED");
    expect(message).toContain("host 'no-such-host.invalid' cannot be found");
  });

  it("since the socket's folder is not there", async () => {
    expect(await problemOf("postgres:///db?host=/nowhere&user=u")).toMatchObject({ code: "UNREACHABLE" });
  });

  it("since what listens there is no Postgres", async () => {
    const port = await startFakeServer({ greeting: Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n") });
    const { code, message } = await problemOf(at({ port: String(port) }));
    expect(code).toBe("UNREACHABLE");
    expect(message).toContain(`No Postgres answers on 127.0.0.1:${port}`);
  });

  it("since what listens there says nothing", async () => {
    const port = await startFakeServer({ greeting: Buffer.alloc(0), answer: Buffer.alloc(0) });
    const { code, message } = await problemOf(at({ port: String(port) }), 50);
    expect(code).toBe("UNREACHABLE");
    expect(message).toContain(`No Postgres answers on 127.0.0.1:${port} (timeout`);
  });

  it("since the password is wrong, or missing, or the user is not there", async () => {
    const wrong = await problemOf(at({ password: PASSWORD }));
    expect(wrong.code).toBe("WRONG_PASSWORD");
    expect(wrong.message).toContain("refuses the password of user 'cairn'");
    const missing = await problemOf(at({ password: "" }));
    expect(missing.code).toBe("WRONG_PASSWORD");
    expect(missing.message).toContain("the URL has none");
    expect(await problemOf(at({ username: "nobody_here" }))).toMatchObject({ code: "WRONG_PASSWORD" });
  });

  it("since the database does not exist", async () => {
    const { code, message } = await problemOf(databaseUrl(server, "nowhere"));
    expect(code).toBe("NO_DATABASE");
    expect(message).toContain("There is no database 'nowhere' on 127.0.0.1:");
  });

  it("since the server has no TLS, or wants it", async () => {
    const without = await problemOf(at({ search: "?sslmode=no-verify" }));
    expect(without.code).toBe("TLS_FAILED");
    expect(without.message).toContain("use ?sslmode=disable");

    const cluster = await openTestCluster(temporaryFolder());
    writeFileSync(join(cluster.data, "pg_hba.conf"), "hostssl all all all scram-sha-256\n");
    const { port } = await reachServer(cluster);
    onTestFinished(() => stopServer(cluster));
    const { code, message } = await problemOf(urlOf(cluster, port));
    expect(code).toBe("TLS_REQUIRED");
    expect(message).toContain("add ?sslmode=verify-full");
  });

  it("since the server's certificate is not accepted", () => {
    const target = { host: "db", port: 5432, user: "ann", database: "shop" };
    const error = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(connectionProblem(error, target)).toMatchObject({
      code: "TLS_FAILED",
      message:
        "The TLS certificate of the database on db:5432 is not accepted (self-signed certificate): name the file of its " +
        "authority by sslrootcert in the URL.",
    });
  });

  it("since the role may not log in", async () => {
    const { asRole, role } = await plainRole();
    await runOn(server, `ALTER ROLE ${role} NOLOGIN`);
    const { code, message } = await problemOf(asRole);
    expect(code).toBe("CONNECTION_REFUSED");
    expect(message).toContain("is not permitted to log in");
  });

  it.each([
    ["08P01", "no such database: shop", "NO_DATABASE"],
    ["08P01", "auth failed", "WRONG_PASSWORD"],
    ["08P01", "no such user: ann", "WRONG_PASSWORD"],
    ["08P01", "no more connections allowed (max_client_conn)", "POOLER_REFUSED"],
    ["08P01", "unsupported startup parameter: application_name", "POOLER_REFUSED"],
    ["08P01", "pgbouncer cannot connect to server", "POOLER_REFUSED"],
    ["08P01", "server login has been failing, cached error: connect failed (server_login_retry)", "POOLER_REFUSED"],
    ["08P01", "SSL required", "TLS_REQUIRED"],
    ["57P03", "the database system is starting up", "NOT_READY"],
    ["53300", "sorry, too many clients already", "CONNECTION_REFUSED"],
  ])("since a pooler or a server says %s %s: %s", async (sqlState, text, code) => {
    const port = await startFakeServer(refusingServer(sqlState, text));
    expect((await problemOf(at({ port: String(port) }))).code).toBe(code);
  });
});

describe("a database that cannot be used", () => {
  it("since it is too old, with both versions", async () => {
    const port = await startFakeServer(oneRowServer("server_version", "12.22 (Debian 12.22-1)"));
    const { code, message } = await problemOf(at({ port: String(port) }));
    expect(code).toBe("TOO_OLD");
    expect(message).toContain(`127.0.0.1:${port} is Postgres 12.22 (Debian 12.22-1), and Cairn needs 13 or later`);
  });

  it("since transactions are read-only", async () => {
    const { asRole, role } = await plainRole();
    await runOn(server, `ALTER ROLE ${role} SET default_transaction_read_only = on`);
    const { code, message } = await problemOf(asRole);
    expect(code).toBe("READ_ONLY");
    expect(message).toContain("default_transaction_read_only");
  });

  it("since it is a standby", async () => {
    const cluster = await openTestCluster(temporaryFolder());
    writeFileSync(join(cluster.data, "standby.signal"), "");
    const { port } = await reachServer(cluster);
    onTestFinished(() => stopServer(cluster));
    const { code, message } = await problemOf(urlOf(cluster, port));
    expect(code).toBe("READ_ONLY");
    expect(message).toContain("is a standby");
  });

  it("since the schema is not there and may not be created", async () => {
    const { asOwner, asRole, role, database } = await plainRole();
    await runOn(asOwner, "DROP SCHEMA cairn CASCADE");
    const { code, message } = await problemOf(asRole);
    expect(code).toBe("NO_RIGHT");
    expect(message).toContain(`GRANT CREATE ON DATABASE "${database}" TO "${role}"`);
    await runOn(asOwner, `GRANT CREATE ON DATABASE ${database} TO ${role}`);
    await checkDatabase(asRole);
  });

  it("since the schema is there and may not be used", async () => {
    const { asRole } = await plainRole();
    const { code, message } = await problemOf(asRole);
    expect(code).toBe("NO_RIGHT");
    expect(message).toContain("may not use schema 'cairn'");
  });
});
