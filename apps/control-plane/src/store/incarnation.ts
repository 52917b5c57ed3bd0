import type pg from "pg";

/** What a change of incarnation has ended. */
export interface ChangedIncarnation {
  /** The new one. */
  readonly incarnation: string;
  /** Owners that were in the database: none of them writes anything any more. */
  readonly owners: number;
  /** Runs that they held, and that are ready now. */
  readonly freed: number;
}

/**
 * The database was restored from a backup: it has another past than those who know it from before. Owners are gone, so
 * nothing that is held in memory is committed; what they held is free, and no crash is counted. Calls that were dispatched
 * before belong to the past that was lost, where the same numbers may have been those of other calls: they carry the
 * former incarnation, and their outcomes are not taken.
 *
 * In a transaction of its own, on a connection that is not shared.
 */
export async function changeIncarnation(client: pg.ClientBase): Promise<ChangedIncarnation> {
  await client.query("BEGIN");
  try {
    // Who opens an owner meanwhile waits, and gets the new incarnation. Commits that are under way come to their end.
    await client.query("LOCK TABLE cairn.owners IN SHARE ROW EXCLUSIVE MODE");
    const { rowCount: owners } = await client.query("DELETE FROM cairn.owners");
    const { rowCount: freed } = await client.query(
      "UPDATE cairn.queue SET state = 'ready', owner = NULL, phase = 'ready', ready_at = cairn.now() WHERE state = 'held'",
    );
    const { rows } = await client.query<{ id: string }>(
      "UPDATE cairn.incarnation SET id = gen_random_uuid(), since = cairn.now() RETURNING id",
    );
    // What calls of the past have streamed: those that are made again have the same numbers.
    await client.query("TRUNCATE cairn.stream_chunks");
    await client.query("COMMIT");
    return { incarnation: rows[0]!.id, owners: owners ?? 0, freed: freed ?? 0 };
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
