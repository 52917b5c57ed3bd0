import type pg from "pg";
import { expect, it } from "vitest";
import { type AuditFilter, listAudit, removeAudit } from "../../src/store/audit-log.ts";
import { explaining, type Plan } from "../support/explaining.ts";
import { storeBed } from "../support/test-store.ts";

const ENTRIES = 100_000;
const LIMIT = 50;
const BLOCKS_MAX = 1_000;
const ANY = { who: null, action: null, runId: null, since: null, until: null, after: null };

it(`who did what is found by an index beside ${ENTRIES} entries, both ways`, { timeout: 120_000 }, async () => {
  const bed = await storeBed();
  const { client } = await bed.owner();
  const write = (namespace: string, who: string, action: string, age: string, count: number): Promise<unknown> =>
    bed.query(
      `INSERT INTO cairn.audit_log (namespace, who, action, detail, status, via, at)
      SELECT $1, $2, $3 || CASE WHEN $3 LIKE '%.' THEN (n % 20)::text ELSE '' END, '{}', 202, 'rest', cairn.now() - $4::interval
      FROM generate_series(1, $5::int) AS n`,
      namespace,
      who,
      action,
      age,
      count,
    );
  // The few are the oldest, and what is asked for together is rare though each of it is not.
  await write("default", "ann", "secret.set", "6 days", 60);
  await write("default", "eve", "run.cancel", "6 days", 60);
  await write("default", "ann", "run.", "5 days", ENTRIES / 4);
  await write("default", "bob", "run.", "4 days", ENTRIES / 4);
  await write("default", "bob", "run.cancel", "3 days", ENTRIES / 4);
  await write("other", "eve", "secret.set", "2 days", ENTRIES / 4);
  await bed.query("VACUUM (ANALYZE) cairn.audit_log");
  const asked: Partial<AuditFilter>[] = [
    {},
    { who: "eve" },
    { action: "secret.set" },
    { action: "secret.*" },
    { action: "run.*" },
    { who: "ann" },
    { who: "ann", action: "secret.*" },
    { who: "eve", action: "run.cancel" },
    { who: "ann", action: "run.7", since: new Date(Date.now() - 7 * 86_400_000) },
    { who: "nobody" },
    { action: "nothing.*" },
    { who: "ann", action: "run.cancel" },
  ];
  for (const newestFirst of [true, false]) {
    for (const filter of asked) {
      const name = JSON.stringify([newestFirst, filter]);
      const look = { ...ANY, ...filter, newestFirst, limit: LIMIT };
      const rows = await listAudit(bed.client, "default", look);
      const all = await bed.query<{ id: number }>(
        `SELECT id FROM cairn.audit_log WHERE namespace = 'default' AND ($1::text IS NULL OR who = $1)
          AND ($2::text IS NULL OR action LIKE replace($2, '*', '%')) ORDER BY id ${newestFirst ? "DESC" : ""} LIMIT ${LIMIT}`,
        filter.who ?? null,
        filter.action ?? null,
      );
      expect(
        rows.map(({ id }) => id),
        name,
      ).toEqual(all.map(({ id }) => Number(id)));
      const middle = rows[LIMIT / 2]?.id ?? 0;
      const behind = await listAudit(bed.client, "default", { ...look, after: middle });
      if (rows.length === LIMIT) expect(behind[0], name).toEqual(rows[LIMIT / 2 + 1]);
      const seen: Plan[] = [];
      await listAudit(explaining(client, seen), "default", look);
      expect(blocksOf(seen), name).toBeLessThan(BLOCKS_MAX);
    }
  }
  // Some were written at one time: none of them is left out at the edge of a time.
  const [{ at } = { at: new Date() }] = await bed.query<{ at: Date }>(
    "SELECT at FROM cairn.audit_log WHERE who = 'eve' AND namespace = 'default' ORDER BY id LIMIT 1",
  );
  const edge = { ...ANY, who: "eve", newestFirst: true, limit: 1_000 };
  for (const times of [{ until: new Date(Number(at) + 1_000) }, { since: new Date(Number(at) - 1_000) }])
    expect(await listAudit(bed.client, "default", { ...edge, ...times }), JSON.stringify(times)).toHaveLength(60);
  // What is looked for to be removed, too: when there is nothing, and when there is.
  for (const [age, count] of [
    [30, 0],
    [5.5, 60],
  ] as const) {
    const before = Date.now() - age * 86_400_000;
    const seen: Plan[] = [];
    await removeAudit(
      explained(explaining(client, seen)),
      { namespace: "default", action: "run.cancel" },
      before,
      1_000,
    );
    expect(blocksOf(seen), String(age)).toBeLessThan(BLOCKS_MAX * 2);
    expect(await bed.query("SELECT FROM cairn.audit_log WHERE who = 'eve' AND namespace = 'default'")).toHaveLength(
      60 - count,
    );
  }
});

/** What is removed while it is explained is gone: how many that were is not told. */
function explained(client: ReturnType<typeof explaining>): ReturnType<typeof explaining> {
  const query = async (asked: pg.QueryConfig): Promise<unknown> => {
    await client.query(asked);
    return { rows: [{ count: 0 }] };
  };
  return { query } as unknown as ReturnType<typeof explaining>;
}

function blocksOf(plans: readonly Plan[]): number {
  return plans.reduce((sum, plan) => sum + plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], 0);
}
