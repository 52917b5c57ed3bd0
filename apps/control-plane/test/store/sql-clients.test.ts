import { drizzle } from "drizzle-orm/node-postgres";
import { sql as drizzleSql } from "drizzle-orm";
import { Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../support/test-engine.ts";
import { type StoreBed, storeBed } from "../support/test-store.ts";
import { approved, sums } from "../workflows/basics.ts";

/** A statement with values in it; its first column is called `value`. */
type Ask = (text: TemplateStringsArray, ...values: string[]) => Promise<unknown>;

/** Runs statements in one transaction; a throw rolls it back. */
type Transaction = (work: (ask: Ask) => Promise<void>) => Promise<void>;

// A type, since clients want an index signature of it.
type Value = { value: unknown };

function poolOn(bed: StoreBed): pg.Pool {
  const pool = new pg.Pool({ connectionString: bed.url, max: 2 });
  pool.on("error", () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** `parameter` writes the one with a number. */
function withPg(pool: pg.Pool, parameter: (number: number) => string): Transaction {
  return async (work) => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      await work(async ([first, ...rest], ...values) => {
        const text = rest.reduce((all, each, index) => `${all}${parameter(index + 1)}${each}`, first!);
        return (await client.query<Value>(text, values)).rows[0]?.value;
      });
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK");
      throw error;
    } finally {
      client.release();
    }
  };
}

function withKysely(pool: pg.Pool): Transaction {
  const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
  return (work) =>
    db
      .transaction()
      .execute((trx) =>
        work(async (text, ...values) => (await kyselySql<Value>(text, ...values).execute(trx)).rows[0]?.value),
      );
}

function withDrizzle(pool: pg.Pool): Transaction {
  const db = drizzle(pool);
  return (work) =>
    db.transaction((tx) =>
      work(async (text, ...values) => (await tx.execute<Value>(drizzleSql(text, ...values))).rows[0]?.value),
    );
}

const CLIENTS: readonly (readonly [name: string, open: (pool: pg.Pool) => Transaction])[] = [
  ["pg", (pool) => withPg(pool, (number) => `$${number}`)],
  ["Kysely", withKysely],
  ["Drizzle", withDrizzle],
  // Prisma's $queryRaw says of texts that they are texts, so that casts have to be written.
  ["a client like Prisma, whose parameters have types", (pool) => withPg(pool, (number) => `$${number}::text`)],
];

describe.each(CLIENTS)("inside a transaction of %s", (_name, open) => {
  it("a run is started with the user's own rows, or not at all", async () => {
    const bed = await storeBed();
    await bed.query("CREATE TABLE public.orders (name text)");
    const cairn = await bed.open();
    const transaction = open(poolOn(bed));
    let kept = "";
    await transaction(async (ask) => {
      await ask`INSERT INTO public.orders VALUES (${"kept"})`;
      const options = JSON.stringify({ tags: ["by sql"], priority: 3 });
      const started = ask`SELECT cairn.start_run(${"test.sums.v1"}, ${'{"n":4}'}::json, ${options}::jsonb) AS value`;
      kept = (await started) as string;
      await expect(cairn.run(kept).status()).rejects.toMatchObject({ code: "NotFound" });
    });
    const lost = transaction(async (ask) => {
      await ask`INSERT INTO public.orders VALUES (${"lost"})`;
      await ask`SELECT cairn.start_run('test.sums.v1', '{"n":1}', ${'{"idempotencyKey":"lost"}'}::jsonb)`;
      throw new Error("the order is refused");
    });
    await expect(lost).rejects.toThrow("the order is refused");
    expect(await cairn.run(kept).result()).toBe(10);
    expect(await cairn.run(kept).status()).toMatchObject({ tags: ["by sql"] });
    expect(await bed.query("SELECT name FROM public.orders")).toEqual([{ name: "kept" }]);
    expect(await bed.query("SELECT id FROM cairn.runs")).toEqual([{ id: kept }]);
    expect(await bed.query("SELECT FROM cairn.idempotency_keys")).toEqual([]);
  });

  it("runs are signalled, cancelled and deleted if it commits, and not if it does not", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    const transaction = open(poolOn(bed));
    const [signalled, cancelled, deleted] = await Promise.all([1, 2, 3].map(() => cairn.start(approved)));
    const all = async (ask: Ask): Promise<void> => {
      for (const value of ['"first"', '{"second":true}']) {
        const sent = ask`SELECT cairn.signal_run(${signalled!.id}::uuid, ${"approval"}, ${value}::json) AS value`;
        expect(await sent).toBe(true);
      }
      expect(await ask`SELECT cairn.cancel_run(${cancelled!.id}::uuid, ${"no longer wanted"}) AS value`).toBe(true);
      expect(await ask`SELECT cairn.delete_run(${deleted!.id}::uuid, ${"by mistake"}) AS value`).toBe(true);
    };
    const undone = transaction(async (ask) => {
      await all(ask);
      throw new Error("changed my mind");
    });
    await expect(undone).rejects.toThrow("changed my mind");
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
    expect(await bed.query("SELECT FROM cairn.runs WHERE deleted_at IS NOT NULL OR status <> 'pending'")).toEqual([]);
    await transaction(all);
    expect(await signalled!.result()).toEqual(["first", { second: true }]);
    await expect(cancelled!.result()).rejects.toMatchObject({ name: "RunCancelled", message: "no longer wanted" });
    await expect(deleted!.result()).rejects.toMatchObject({ code: "RunDeleted" });
    await until(async () => (await bed.query("SELECT FROM cairn.queue")).length === 0);
    expect(await bed.query("SELECT delete_reason FROM cairn.workflow_run WHERE deleted_at IS NOT NULL")).toEqual([
      { delete_reason: "by mistake" },
    ]);
    await transaction(async (ask) => {
      expect(await ask`SELECT cairn.signal_run(${signalled!.id}::uuid, 'approval') AS value`).toBe(false);
      expect(await ask`SELECT cairn.cancel_run(${signalled!.id}::uuid) AS value`).toBe(false);
      expect(await ask`SELECT cairn.delete_run(${deleted!.id}::uuid) AS value`).toBe(false);
    });
  });
});

describe("the functions of SQL", () => {
  it("tell who listens when the transaction commits, unless cairn.notify is off", async () => {
    const bed = await storeBed();
    const heard: string[] = [];
    const listener = await bed.connect();
    listener.on("notification", ({ channel }) => heard.push(channel));
    await listener.query("LISTEN cairn_work; LISTEN cairn_mail; LISTEN cairn_ended; LISTEN done");
    const done = (): Promise<unknown> => until(async () => heard.includes("done"));
    await bed.sql.query("BEGIN; SET LOCAL cairn.notify = off");
    const [run] = await bed.query<{ id: string }>("SELECT cairn.start_run('test.noop.v1') AS id");
    await bed.query("SELECT cairn.signal_run($1, 'x')", run!.id);
    await bed.query("SELECT cairn.cancel_run($1)", run!.id);
    await bed.sql.query("COMMIT; NOTIFY done");
    await done();
    expect(heard.splice(0)).toEqual(["done"]);
    const [other] = await bed.query<{ id: string }>("SELECT cairn.start_run('test.noop.v1') AS id");
    await bed.query("SELECT cairn.signal_run($1, 'x')", other!.id);
    await bed.query("SELECT cairn.cancel_run($1)", other!.id);
    await bed.query("NOTIFY done");
    await done();
    expect(heard).toEqual(["cairn_work", "cairn_mail", "cairn_ended", "done"]);
  });

  it("find a run that was started without a notification by looking", async () => {
    const bed = await storeBed();
    const cairn = await bed.open();
    await bed.sql.query("SET cairn.notify = off");
    const [run] = await bed.query<{ id: string }>(`SELECT cairn.start_run('test.sums.v1', '{"n":2}') AS id`);
    expect(await cairn.run(run!.id).result()).toBe(3);
  });

  it("cancel a run that never began at once: its mail becomes undelivered events, its parent gets the error", async () => {
    const bed = await storeBed();
    const [parent] = await bed.query<{ id: string }>("SELECT cairn.start_run('test.noop.v1') AS id");
    const [run] = await bed.query<{ id: string }>("SELECT cairn.start_run('test.noop.v1') AS id");
    await bed.query("UPDATE cairn.runs SET parent = $1, parent_call = '3.0' WHERE id = $2", parent!.id, run!.id);
    await bed.query("SELECT cairn.signal_run($1, 'news', '5')", run!.id);
    expect(await bed.query("SELECT cairn.cancel_run($1, 'not needed') AS done", run!.id)).toEqual([{ done: true }]);
    const [row] = await bed.query("SELECT * FROM cairn.workflow_run WHERE id = $1", run!.id);
    const error = { $error: { names: ["RunCancelled", "Error"], message: "not needed" } };
    expect(row).toMatchObject({ status: "cancelled", last_error: "RunCancelled: not needed", error, attempt: 1 });
    expect(await bed.query("SELECT run_id, kind, call, value FROM cairn.mailbox")).toEqual([
      { run_id: parent!.id, kind: "error", call: "3.0", value: error },
    ]);
    const events = await bed.query(
      "SELECT event_type, data FROM cairn.workflow_event WHERE workflow_id = $1 ORDER BY id",
      run!.id,
    );
    expect(events).toEqual([
      { event_type: "created", data: null },
      { event_type: "undelivered", data: { kind: "signal", name: "news", value: 5 } },
      { event_type: "cancelled", data: error },
    ]);
    expect(await bed.query("SELECT cairn.cancel_run($1) AS done", run!.id)).toEqual([{ done: false }]);
  });

  it("refuse names and reasons that no run could have", async () => {
    const bed = await storeBed();
    const run = await (await bed.open()).start(sums, { n: 0 }, { runAt: new Date("2999-01-01T00:00:00Z") });
    for (const name of ["", "x".repeat(501), null]) {
      await expect(bed.query("SELECT cairn.signal_run($1, $2)", run.id, name)).rejects.toMatchObject({
        hint: "InvalidOption",
      });
    }
    expect(await bed.query("SELECT cairn.signal_run($1, 'x')", "00000000-0000-7000-8000-000000000000")).toEqual([
      { signal_run: false },
    ]);
    expect(await bed.query("SELECT FROM cairn.mailbox")).toEqual([]);
  });
});
