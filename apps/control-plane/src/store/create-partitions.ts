import type { Queryable } from "./statement.ts";

/** For the runs of the coming weeks. */
export async function createPartitions(client: Queryable): Promise<void> {
  await client.query("SELECT cairn.create_partitions(cairn.now() + interval '28 days')");
}
