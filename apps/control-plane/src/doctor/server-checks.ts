import type { Queryable } from "../store/statement.ts";
import { lengthOfTime } from "@cairnjs/schemas";
import { counted, type Finding, ok, problem, warning } from "./finding.ts";

/** Of Postgres itself. */

export async function checkVersion(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  return ok("connection", `Postgres ${rows[0]!.version} answers`);
}

/** Beyond this, times that people see are wrong; ids of runs that are an hour ahead are refused. */
const SKEW_MS_MAX = 1_000;
const SKEW_MS_BAD = 60 * 60 * 1_000;

/** The database's time is what counts; ids of runs, and what people see, come from the clocks of others. */
export async function checkClock(client: Queryable, localNow: () => number): Promise<Finding> {
  const before = localNow();
  const { rows } = await client.query<{ moment: number }>("SELECT clock_timestamp() AS moment");
  const after = localNow();
  // It was read at some time in between.
  const skew = Math.max(0, before - rows[0]!.moment, rows[0]!.moment - after);
  const says = `The clock of this machine is ${lengthOfTime(skew)} from that of the database`;
  if (skew >= SKEW_MS_BAD) return problem("clock", `${says}: set it, else starts with ids of their own are refused`);
  return skew >= SKEW_MS_MAX ? warning("clock", `${says}: let both be set by NTP`) : ok("clock", says);
}

interface LackingRow {
  readonly name: string;
  readonly rights: string;
}

const LACKING = `SELECT c.relname::text AS name, concat_ws(', ',
    CASE WHEN NOT has_table_privilege(c.oid, 'SELECT') THEN 'SELECT' END,
    CASE WHEN NOT has_table_privilege(c.oid, 'INSERT') THEN 'INSERT' END,
    CASE WHEN NOT has_table_privilege(c.oid, 'UPDATE') THEN 'UPDATE' END,
    CASE WHEN NOT has_table_privilege(c.oid, 'DELETE') THEN 'DELETE' END) AS rights
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = 'cairn' AND c.relkind IN ('r', 'p') AND NOT (has_table_privilege(c.oid, 'SELECT')
    AND has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
  ORDER BY c.relname`;

export async function checkRights(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<LackingRow & Record<string, unknown>>(LACKING);
  const { rows: about } = await client.query<{ user: string; creates: boolean; owns: boolean }>(
    `SELECT current_user::text AS user, has_schema_privilege('cairn', 'CREATE') AS creates,
      pg_has_role(n.nspowner, 'USAGE') AS owns FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'cairn'`,
  );
  const { user, creates, owns } = about[0]!;
  if (rows.length > 0) {
    const details = rows.map(({ name, rights }) => `cairn.${name}: ${rights}`);
    return problem("permissions", `The user ${user} lacks rights to ${counted(rows.length, "table")}`, details);
  }
  if (!creates || !owns) {
    const says = `The user ${user} may use the tables, and make none: partitions and migrations are for the owner of the schema`;
    return warning("permissions", says);
  }
  return ok("permissions", `The user ${user} has all rights`);
}

/** What is older keeps dead rows from being removed: claims get slower. */
const TRANSACTION_MS_MAX = 5 * 60 * 1_000;

export async function checkTransactions(client: Queryable): Promise<Finding> {
  const { rows } = await client.query<{ what: string; age: number }>(
    `SELECT format('process %s (%s), %s', pid, coalesce(nullif(application_name, ''), usename::text), state) AS what,
        (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::float8 AS age
      FROM pg_catalog.pg_stat_activity
      WHERE datname = current_database() AND xact_start < clock_timestamp() - $1::float8 * interval '1 ms'
        AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    UNION ALL
    SELECT format('prepared transaction %s', gid), (extract(epoch FROM clock_timestamp() - prepared) * 1000)::float8
      FROM pg_catalog.pg_prepared_xacts
      WHERE database = current_database() AND prepared < clock_timestamp() - $1::float8 * interval '1 ms'
    ORDER BY age DESC LIMIT 20`,
    [TRANSACTION_MS_MAX],
  );
  if (rows.length === 0) return ok("transactions", "No transaction has been open for long");
  const says = `${counted(rows.length, "transaction")} open for more than ${lengthOfTime(TRANSACTION_MS_MAX)}: dead rows stay for as long`;
  return warning(
    "transactions",
    says,
    rows.map(({ what, age }) => `${what}: ${lengthOfTime(age)}`),
  );
}
