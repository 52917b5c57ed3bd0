// What the engine does in one process, beside what the same Postgres does for plain inserts. Prints JSON.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cairn, createCairn } from "@cairnjs/control-plane";
import { action, workflow } from "cairnjs";
import pg from "pg";

const add = action("bench.add.v1", async (a: number, b: number) => a + b);

const sums = workflow("bench.sums.v1", async (n: number) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = await add(sum, i);
  return sum;
});

/** The time of each step, by the action's clock: it runs when the step before is durable. */
const times: number[] = [];
const tick = action("bench.tick.v1", async (i: number) => {
  times.push(performance.now());
  return i;
});
const ticks = workflow("bench.ticks.v1", async (n: number) => {
  for (let i = 0; i < n; i++) await tick(i);
  return n;
});

const ROWS = 500;
const ROUNDS = 5;
/** Runs before anything is measured: it is measured what a process does that has been up for some seconds. */
const WARM_UP_RUNS = 6_000;

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

class Raw {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async create(): Promise<void> {
    await this.#client.query(
      "CREATE TABLE raw (id bigserial PRIMARY KEY, run_id uuid NOT NULL DEFAULT gen_random_uuid(), payload jsonb)",
    );
  }

  /** Rows per second, 500 in a commit, on one connection. */
  async rowsPerSecond(ms: number): Promise<number> {
    const payloads = Array.from({ length: ROWS }, (_, index) => JSON.stringify({ a: index }));
    const from = performance.now();
    let rows = 0;
    while (performance.now() - from < ms) {
      const text = "INSERT INTO raw (payload) SELECT x::jsonb FROM unnest($1::text[]) AS x";
      await this.#client.query({ name: "many", text, values: [payloads] });
      rows += ROWS;
    }
    return (rows / (performance.now() - from)) * 1_000;
  }

  /** The times of committed inserts, one after another, in milliseconds. */
  async insertMs(count: number): Promise<number[]> {
    const took: number[] = [];
    for (let i = 0; i < count; i++) {
      const from = performance.now();
      await this.#client.query({ name: "one", text: "INSERT INTO raw (payload) VALUES ($1)", values: ['{"a":1}'] });
      took.push(performance.now() - from);
    }
    return took;
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1_000;
}

async function runAll(cairn: Cairn, count: number, steps: number): Promise<number> {
  return timed(async () => {
    const runs = await Promise.all(Array.from({ length: count }, () => cairn.start(sums, steps)));
    await Promise.all(runs.map((run) => run.result()));
  });
}

/** The times between the steps of one run, in milliseconds. */
async function stepMs(cairn: Cairn, steps: number): Promise<number[]> {
  times.length = 0;
  await (await cairn.start(ticks, steps)).result();
  return times.slice(1).map((time, index) => time - times[index]!);
}

/** Medians of an insert and of a step, in turns: the disk is not the same from one second to the next. */
async function sequential(cairn: Cairn, raw: Raw): Promise<{ insert: number; step: number }> {
  const inserts: number[] = [];
  const steps: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    inserts.push(...(await raw.insertMs(100)));
    steps.push(...(await stepMs(cairn, 100)));
  }
  return { insert: median(inserts), step: median(steps) };
}

/** Medians of the time between steps, after 10 inputs and after 10,000. */
async function longRun(cairn: Cairn, steps: number): Promise<{ early: number; late: number }> {
  const between = await stepMs(cairn, steps);
  return { early: median(between.slice(10, 510)), late: median(between.slice(steps - 510, steps - 10)) };
}

interface Counters {
  readonly commits: number;
  readonly walBytes: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

async function counters(client: pg.Client): Promise<Counters> {
  const { rows } = await client.query<Record<keyof Counters, string>>(`
    SELECT d.xact_commit AS commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS "walBytes",
      sum(t.n_tup_ins) AS inserted, sum(t.n_tup_upd) AS updated, sum(t.n_tup_del) AS deleted
    FROM pg_stat_database AS d, pg_stat_user_tables AS t
    WHERE d.datname = current_database() AND t.schemaname = 'cairn' GROUP BY d.xact_commit`);
  return Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)])) as never;
}

/** What a step costs, by an engine of its own: sessions tell what they have counted when they end. */
async function costs(url: string, client: pg.Client, runs: number, steps: number): Promise<Counters> {
  const before = await counters(client);
  const cairn = await createCairn({ databaseUrl: url, concurrency: 1_000 });
  await runAll(cairn, runs, steps);
  await cairn.close();
  const after = await counters(client);
  const entries = Object.entries(after) as [keyof Counters, number][];
  return Object.fromEntries(entries.map(([name, value]) => [name, (value - before[name]) / (runs * steps)])) as never;
}

async function measure(cairn: Cairn, client: pg.Client): Promise<object> {
  const raw = new Raw(client);
  await raw.create();
  for (let done = 0; done < WARM_UP_RUNS; done += 2_000) await runAll(cairn, 2_000, 5);
  await raw.rowsPerSecond(500);
  const rounds: { rows: number; steps: number; runs: number; insert: number; step: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rows = await raw.rowsPerSecond(1_000);
    const steps = 10_000 / (await runAll(cairn, 2_000, 5));
    const runs = 5_000 / (await runAll(cairn, 5_000, 1));
    const rowsAfter = await raw.rowsPerSecond(1_000);
    rounds.push({ rows: (rows + rowsAfter) / 2, steps, runs, ...(await sequential(cairn, raw)) });
  }
  return { rounds, long: await longRun(cairn, 10_500) };
}

const folder = mkdtempSync(join(tmpdir(), "cairn-bench-"));
const cairn = await createCairn({ folder, concurrency: 1_000 });
const client = new pg.Client({ connectionString: cairn.databaseUrl });
await client.connect();
try {
  const measured = await measure(cairn, client);
  // Sessions that are idle tell what they have counted within ten seconds: these are not to be among what follows.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  const loaded = await costs(cairn.databaseUrl, client, 2_000, 5);
  const alone = await costs(cairn.databaseUrl, client, 1, 2_000);
  console.log(JSON.stringify({ ...measured, loaded, alone }));
} finally {
  await client.end();
  await cairn.close();
  rmSync(folder, { recursive: true, force: true });
}
