import type pg from "pg";

export interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  /** Of each loop. */
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

/** So often does Postgres plan for the values given, before it may settle for a plan for all. */
const CUSTOM_PLANS = 6;

const EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)";

/** A client that explains, with all that it does, what it is asked the last of several times, as in a long session. */
export function explaining(client: pg.Client, seen: Plan[]): pg.ClientBase {
  const query = async ({ name, text, values = [] }: pg.QueryConfig & { values?: unknown[] }): Promise<unknown> => {
    if (name === undefined) {
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`${EXPLAIN} ${text}`, values);
      seen.push((JSON.parse(rows[0]!["QUERY PLAN"]) as [{ Plan: Plan }])[0].Plan);
      return client.query(text, values);
    }
    await client.query(`PREPARE ${name} AS ${text}`);
    const given = values.map((value) => literal(value)).join(", ");
    const execute = `EXECUTE ${name}${given === "" ? "" : `(${given})`}`;
    for (let times = 0; times < CUSTOM_PLANS; times += 1) await client.query(execute);
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`${EXPLAIN} ${execute}`);
    await client.query(`DEALLOCATE ${name}`);
    seen.push((JSON.parse(rows[0]!["QUERY PLAN"]) as [{ Plan: Plan }])[0].Plan);
    return { rows: [] };
  };
  return { query } as unknown as pg.ClientBase;
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (Array.isArray(value)) return `'{${value.join(",")}}'`;
  return typeof value === "number" ? String(value) : `'${String(value)}'`;
}

export function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
