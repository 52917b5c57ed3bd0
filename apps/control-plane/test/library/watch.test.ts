import { expect, it } from "vitest";
import { Watch } from "../../src/library/watch.ts";
import { openPool } from "../../src/store/connection.ts";
import { pooledUrl } from "../../src/store/pooled-url.ts";
import { sendMail } from "../../src/store/mail.ts";
import { startRuns } from "../../src/store/start-runs.ts";
import { type Queryable } from "../../src/store/statement.ts";
import { testBed, until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";
import { approved, sums } from "../workflows/basics.ts";

/** A watch that writes down what it tells, and how many statements it made. */
function watchOn(bed: StoreBed, namespace = "default"): { look(): Promise<string[]>; count(): number } {
  let statements = 0;
  let told: string[] = [];
  const query = (...given: Parameters<Queryable["query"]>): unknown => {
    statements += 1;
    return bed.client.query(...given);
  };
  const watch = new Watch({
    client: { query } as unknown as Queryable,
    namespace,
    work: () => void told.push("work"),
    mail: () => void told.push("mail"),
    ended: async () => void told.push("ended"),
  });
  return {
    look: async () => {
      told = [];
      if (await watch.look()) told.push("new");
      return told;
    },
    count: () => statements,
  };
}

async function settled(look: () => Promise<string[]>): Promise<void> {
  for (let each = 0; each < 7; each++) await look();
  expect(await look()).toEqual([]);
}

it("a look in which nothing has happened is one statement, and tells nobody", async () => {
  const bed = await storeBed();
  const { look, count } = watchOn(bed);
  await settled(look);
  const before = count();
  for (let each = 0; each < 10; each++) expect(await look()).toEqual([]);
  expect(count() - before).toBe(10);
});

it("runs that are ready are work for as long as they are, new at first, and for their namespace alone", async () => {
  const bed = await storeBed();
  const [mine, other] = [watchOn(bed), watchOn(bed, "another")];
  await settled(mine.look);
  await settled(other.look);
  await startRuns(bed.client, null, [await bed.newRun()]);
  expect(await mine.look()).toEqual(["work", "ended", "new"]);
  expect(await mine.look()).toEqual(["work", "ended"]);
  expect(await other.look()).toEqual(["ended", "new"]);
});

it("a letter is looked for several times, since its transaction may end later", async () => {
  const bed = await storeBed();
  const { look } = watchOn(bed);
  const run = await bed.newRun({ runAt: Date.now() + 1e6 });
  await startRuns(bed.client, null, [run]);
  await settled(look);
  const someone = await bed.connect();
  await someone.query("BEGIN");
  await sendMail(someone, [{ runId: run.id, kind: "signal", call: null, name: "s", value: "1" }]);
  expect(await look()).toEqual(["mail", "new"]);
  expect(await look()).toEqual(["mail"]);
  await someone.query("COMMIT");
  expect(await look()).toEqual(["mail"]);
  await settled(look);
});

it("engines that hear nothing find work, mail and ends of each other, and of SQL", async () => {
  const bed = await testBed();
  const [one, other] = [await bed.open({ pooled: true }), await bed.open({ pooled: true })];
  const runs = await Promise.all(Array.from({ length: 20 }, () => one.start(sums, { n: 5 })));
  expect(await Promise.all(runs.map(({ id }) => other.run(id).result()))).toEqual(runs.map(() => 15));
  const waiting = await one.start(approved);
  await other.run(waiting.id).signal("approval", 1);
  await until(async () => (await bed.query("SELECT FROM cairn.history WHERE kind = 'signal'")).length === 1);
  await bed.query("SELECT cairn.signal_run($1, 'approval', '2')", waiting.id);
  expect(await other.run(waiting.id).result()).toEqual([1, 2]);
  const [{ id }] = (await bed.query("SELECT cairn.start_run('test.sums.v1', '{\"n\": 3}') AS id")) as [{ id: string }];
  expect(await other.run(id).result()).toBe(6);
  expect(await bed.query("SELECT session_lock FROM cairn.owners")).toEqual([
    { session_lock: null },
    { session_lock: null },
  ]);
});

it("the pool of connections makes its settings with each statement where sessions are shared", async () => {
  const bed = await testBed();
  const pool = openPool(pooledUrl(bed.url), "test");
  const shown = {
    name: "shown",
    text: "SELECT current_setting('enable_seqscan') AS seqscan, $1::int AS n",
    values: [1],
  };
  expect((await pool.query(shown)).rows).toEqual([{ seqscan: "off", n: 1 }]);
  expect((await pool.query("SELECT current_setting('enable_seqscan') AS seqscan")).rows).toEqual([{ seqscan: "on" }]);
  await expect(pool.query({ ...shown, values: ["x"] })).rejects.toMatchObject({ code: "22P02" });
  await pool.end();
});
