import pg from "pg";
import { type Cairn, type CairnOptions, createCairn } from "../../src/index.ts";
import { cleanUp } from "./cleanups.ts";
import { createTestDatabase } from "./test-database.ts";

/** A database of the test's own, with a clock that the test can set, and engines on it. */
export interface TestBed {
  readonly url: string;
  readonly sql: pg.Client;
  /** Another engine on the same database, as in another process. */
  open(options?: CairnOptions): Promise<Cairn>;
  /** Lets the database's time pass. Everyone looks at it at once. */
  advance(ms: number): Promise<void>;
  query<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]>;
}

export async function testBed(): Promise<TestBed> {
  const database = await createTestDatabase();
  cleanUp(() => database.drop());
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  cleanUp(() => sql.end());
  await sql.query(`
    CREATE TABLE cairn.test_clock (passed interval NOT NULL);
    INSERT INTO cairn.test_clock VALUES ('0');
    CREATE OR REPLACE FUNCTION cairn.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
      SELECT date_trunc('milliseconds', clock_timestamp() + passed) FROM cairn.test_clock
    $$`);
  const query = async <Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> =>
    (await sql.query<Row>(text, values)).rows;
  return {
    url: database.url,
    sql,
    query,
    open: async (options = {}) => {
      const cairn = await createCairn({ databaseUrl: database.url, runloops: 0, ...options });
      cleanUp(() => cairn.close());
      return cairn;
    },
    advance: async (ms) => {
      await query("UPDATE cairn.test_clock SET passed = passed + $1::float8 * interval '1 ms'", ms);
      await query("SELECT cairn.create_partitions(cairn.now() + interval '14 days')");
      await query("SELECT pg_notify('cairn_mail', ''), pg_notify('cairn_work', '')");
    },
  };
}

/** Asks again and again, until it is so. */
export async function until<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
