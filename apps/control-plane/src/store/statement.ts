import type pg from "pg";

/** A statement with a name is planned once per connection; pgbouncer's transaction mode cannot keep names: a switch. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export function statement(name: string, text: string): Statement {
  return { name: `cairn_${name}`, text };
}

export async function ask<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await client.query<Row>({ name, text, values: values as unknown[] });
  return rows;
}

/** Columns of rows, in the order of the names: what `unnest` takes. */
export function columns<Row>(rows: readonly Row[], names: readonly (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => cell(row[name])));
}

function cell(value: unknown): unknown {
  return Array.isArray(value) ? arrayText(value as string[]) : value;
}

/** A list as the text of a Postgres array: arrays of arrays would have to be of one length each. */
function arrayText(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}
