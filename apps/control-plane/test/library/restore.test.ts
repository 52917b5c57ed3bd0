import { expect, it, onTestFinished } from "vitest";
import { createCairn, declareRestored } from "../../src/index.ts";
import { createTestDatabase, databaseUrl, runOn, testServer } from "../support/test-database.ts";
import { until } from "../support/test-engine.ts";
import { branching, type Execution, executions } from "../workflows/held.ts";

const KEY = "restored";

/** The so many-th execution of a call. */
function executed(call: string, count = 1): Promise<Execution> {
  return until(async () => executions.filter(({ key }) => key === `${KEY}/${call}`)[count - 1]);
}

/** Nobody is connected while it is done, and whoever was comes back. */
async function aside(server: string, name: string, work: () => Promise<void>): Promise<void> {
  await runOn(server, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
  // They take a moment to go; what follows waits for that.
  await runOn(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await work();
  await runOn(server, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
}

it("a process that lives on while its database is restored takes no outcome of the past that was lost", async () => {
  const server = await testServer();
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  const [backup, lost] = [`${name}_backup`, `${name}_lost`];
  const options = { databaseUrl: database.url, runloops: 0, patienceMs: 60_000, onWarning: () => {} };
  const cairn = await createCairn(options);
  const run = await cairn.start(branching, KEY);
  const inLostPast = [await executed("a first"), await executed("b first")] as const;

  await aside(server, name, () => runOn(server, `CREATE DATABASE ${backup} TEMPLATE ${name}`));
  inLostPast[0].succeed("a lost");
  // The third call of the run, in this past.
  const third = await executed("a second");

  const { owners } = await declareRestored(databaseUrl(server, backup));
  expect(owners).toBe(1);
  await aside(server, name, async () => {
    await runOn(server, `ALTER DATABASE ${name} RENAME TO ${lost}`);
    onTestFinished(() => runOn(server, `DROP DATABASE ${lost} WITH (FORCE)`));
    await runOn(server, `ALTER DATABASE ${backup} RENAME TO ${name}`);
  });

  // The first two are made again, and this time the other branch comes first: the third call is one of its own.
  const again = [await executed("a first", 2), await executed("b first", 2)] as const;
  expect(inLostPast[1].signal.aborted).toBe(true);
  again[1].succeed("b");
  const thirdNow = await executed("b second");
  expect(thirdNow.idempotencyKey).toBe(third.idempotencyKey);
  expect([thirdNow.attempt, third.attempt]).toEqual([1, 1]);
  third.succeed("lost");
  inLostPast[1].succeed("b lost");
  again[0].succeed("a");
  (await executed("a second", 2)).succeed("again");
  thirdNow.succeed("now");
  expect(await run.result()).toBe("a again, b now");
  expect(await run.status()).toMatchObject({ status: "succeeded" });
  await cairn.close();
});
