import { ask, type Queryable, statement } from "./statement.ts";

const NOW = statement("now", "SELECT cairn.now() AS moment");

/** In milliseconds since the epoch. */
export async function databaseTime(client: Queryable): Promise<number> {
  return (await ask<{ moment: number }>(client, NOW))[0]!.moment;
}
