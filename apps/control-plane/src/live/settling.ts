import { setTimeout as delay } from "node:timers/promises";
import { lastId, type NumberedTable, writersOf } from "../store/event-horizon.ts";
import type { Queryable } from "../store/statement.ts";
import { isPrepared } from "./horizon.ts";

/** Between two looks at those who are waited for. */
const PAUSE_MS = 2;

/**
 * Waits until all have ended who write rows at the moment: what they have written can be seen then, or never will be. Resolves with the id up to
 * which that is so of all rows; null: it takes too long.
 */
export async function settledUpTo(client: Queryable, table: NumberedTable, withinMs: number): Promise<number | null> {
  const begun = performance.now();
  const last = await lastId(client, table);
  // After the id was read: whoever has drawn it, or a lower one, is seen here or has ended.
  let writers = await writing(client, table);
  while (writers.size > 0) {
    if (performance.now() - begun > withinMs) return null;
    await delay(PAUSE_MS);
    const still = await writing(client, table);
    writers = new Set([...still].filter((each) => writers.has(each) || isPrepared(each)));
  }
  return last;
}

async function writing(client: Queryable, table: NumberedTable): Promise<Set<string>> {
  return new Set((await writersOf(client, table)).map(({ transaction }) => transaction));
}
