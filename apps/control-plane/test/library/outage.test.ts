import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cairn, type CairnOptions, createCairn, EngineError } from "../../src/index.ts";
import { Patience, patientClient } from "../../src/library/patience.ts";
import { isConnectionLoss, openPool } from "../../src/store/connection.ts";
import { digestOf, type LetterKey, sendOnce, sweepMail } from "../../src/store/mail.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { until } from "../support/test-engine.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { storeBed } from "../support/test-store.ts";
import { approved, sums } from "../workflows/basics.ts";
import { executions, holding } from "../workflows/held.ts";

async function engineOn(server: TestServer, options: CairnOptions): Promise<Cairn> {
  onTestFinished(() => server.stop());
  return createCairn({ databaseUrl: server.url, onWarning: () => {}, ...options });
}

describe.each([{ runloops: 0 }, { runloops: 1 }])("while Postgres is gone, with $runloops threads", ({ runloops }) => {
  it("result() waits, and what is started, sent and asked is done when it is back, once each", async () => {
    const server = await startTestServer();
    const cairn = await engineOn(server, { runloops, patienceMs: 60_000 });
    const waiting = await cairn.start(approved);
    const result = waiting.result();
    await server.kill();

    const started = Promise.all(Array.from({ length: 20 }, (_, n) => cairn.start(sums, { n })));
    const sent = waiting.signal("approval", "first");
    const asked = Promise.all([waiting.status(), waiting.steps(), cairn.runs(), waiting.stateAt(1)]);
    const cancelled = cairn.start(approved).then(async (run) => {
      await run.cancel("enough");
      return run;
    });
    await server.restart();

    await sent;
    await waiting.signal("approval", "second");
    expect(await result).toEqual(["first", "second"]);
    const runs = await started;
    const results = Array.from({ length: 20 }, (_, n) => (n * (n + 1)) / 2);
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual(results);
    expect((await asked)[0]).toMatchObject({ id: waiting.id });
    await expect((await cancelled).result()).rejects.toThrow("enough");
    expect(await cairn.runs()).toHaveLength(22);
    await cairn.close();
  });

  it("requests are told so in one line when patience has run out, and close() still closes", async () => {
    const server = await startTestServer();
    const cairn = await engineOn(server, { runloops, patienceMs: 200 });
    const run = await cairn.start(approved);
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    run.result().then(settle, settle);
    await server.kill();
    const { password, host } = new URL(server.url);
    const requests = [
      () => cairn.start(sums, { n: 1 }),
      () => run.status(),
      () => run.steps(),
      () => run.stateAt(1),
      () => run.signal("approval", 1),
      () => run.cancel(),
      () => run.pause(),
      () => run.delete(),
      () => cairn.runs(),
      () => cairn.promote("test.sums.v1", "1"),
    ];
    for (const error of await Promise.all(requests.map((request) => request().catch((each: unknown) => each)))) {
      expect(error).toBeInstanceOf(EngineError);
      expect(error).toMatchObject({ code: "Unavailable" });
      const { message } = error as Error;
      expect(message).toMatch(/^The database on \S+ could not be reached for 0\.2 s \(.+\)$/);
      expect(message).toContain(host);
      expect(`${message} ${(error as Error).stack}`).not.toContain(password);
    }
    expect(isSettled).toBe(false);
    await cairn.close();
  });
});

function under(key: string): LetterKey {
  return { key, digest: digestOf("a letter") };
}

describe("I7: a restart of Postgres", () => {
  it("counts no crash, neither by the process itself nor by others who are back before it", async () => {
    const server = await startTestServer();
    let failures = 0;
    const onWarning = (message: string): void =>
      void (failures += message === "The database cannot be reached" ? 1 : 0);
    const cairn = await engineOn(server, { runloops: 0, patienceMs: 60_000, onWarning });
    const other = await engineOn(server, { runloops: 0, patienceMs: 60_000 });
    const run = await cairn.start(holding, "restart");
    const execution = await until(async () => executions.find(({ key }) => key === "restart"));
    const sql = openPool(server.url, "test");
    onTestFinished(() => sql.end());
    const owners = async (): Promise<{ id: string }[]> => (await sql.query("SELECT id FROM cairn.owners")).rows;
    for (let restart = 0; restart < 2; restart++) {
      const former = (await owners()).map(({ id }) => id);
      await server.kill();
      failures = 0;
      // Whoever looks for the dead looks twice a second; a runloop that has failed so often waits for longer.
      await until(async () => failures >= 6);
      await server.restart();
      await until(async () => {
        const now = await owners().catch(() => []);
        return now.length === 2 && now.every(({ id }) => !former.includes(id));
      });
      expect((await sql.query("SELECT crashes FROM cairn.queue")).rows).toEqual([{ crashes: 0 }]);
    }
    execution.succeed("once");
    expect(await run.result()).toBe("once");
    // Whoever claims the run may be the other one, which does not know of the call and makes it again: closing waits for it.
    for (const { key, succeed } of executions) if (key === "restart") succeed("again");
    await cairn.close();
    await other.close();
  });
});

it.each([
  ["ECONNRESET", true],
  ["EAI_AGAIN", true],
  ["57P01", true],
  ["08P01", true],
  ["53300", true],
  ["ERR_INVALID_ARG_TYPE", false],
  ["23505", false],
  ["57014", false],
])("an error with the code %s is a loss of the connection: %s", (code, isLoss) => {
  expect(isConnectionLoss(Object.assign(new Error("said"), { code }))).toBe(isLoss);
});

describe("a letter whose sender was not told that it was sent", () => {
  it("is sent once, although it is asked for again", async () => {
    const bed = await storeBed();
    const run = await bed.newRun();
    await startRuns(bed.client, null, [run]);
    const proxy = await cuttingProxy(bed.url);
    const pool = openPool(proxy.url, "test");
    onTestFinished(() => pool.end());
    const client = patientClient(pool, new Patience(10_000, proxy.url));
    await client.query("SELECT 1");
    proxy.loseNextAnswer();
    const letter = { runId: run.id, kind: "signal", name: "s", value: "1" } as const;
    expect(await sendOnce(client, under(randomUUID()), letter)).toBe("sent before");
    expect(await bed.query("SELECT name, value FROM cairn.mailbox")).toEqual([{ name: "s", value: 1 }]);
  });

  it("is not sent again after it was read, nor after its run has ended, for an hour", async () => {
    const bed = await storeBed();
    const run = await bed.newRun();
    await startRuns(bed.client, null, [run]);
    const key = randomUUID();
    const letter = { runId: run.id, kind: "pause", name: null, value: null } as const;
    expect(await sendOnce(bed.client, under(key), letter)).toBe("sent");
    await bed.query("DELETE FROM cairn.mailbox");
    expect(await sendOnce(bed.client, under(key), letter)).toBe("sent before");
    await bed.query("DELETE FROM cairn.queue");
    expect(await sendOnce(bed.client, under(key), letter)).toBe("sent before");
    expect(await sendOnce(bed.client, under(randomUUID()), letter)).toBeNull();
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
    await bed.advance(59 * 60_000);
    await sweepMail(bed.client);
    expect(await bed.query("SELECT key FROM cairn.sent_letters")).toEqual([{ key }]);
    await bed.advance(2 * 60_000);
    await sweepMail(bed.client);
    expect(await bed.query("SELECT key FROM cairn.sent_letters")).toEqual([]);
  });

  it("waits for the try before it, which may still be under way, and is not sent beside it", async () => {
    const bed = await storeBed();
    const run = await bed.newRun();
    await startRuns(bed.client, null, [run]);
    const key = randomUUID();
    const letter = { runId: run.id, kind: "signal", name: "s", value: "1" } as const;
    const first = await bed.connect();
    await first.query("BEGIN");
    await sendOnce(first, under(key), letter);
    const again = sendOnce(bed.client, under(key), letter);
    await until(async () => {
      const blocked = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      return (await bed.query(blocked)).length === 1;
    });
    await first.query("COMMIT");
    expect(await again).toBe("sent before");
    expect(await bed.query("SELECT name FROM cairn.mailbox")).toEqual([{ name: "s" }]);
  });
});
