import { type SweptBlobs, TOUCH_EVERY_MS } from "../blobs/blob-store.ts";
import {
  forgetNames,
  forgetUnnamed,
  longUnnamed,
  nameInPart,
  nameInRuns,
  nameInWaiting,
  BEFORE_ALL_RUNS,
} from "../store/named-blobs.ts";
import { listWeeks } from "../store/weeks.ts";
import { Pace } from "./pace.ts";
import type { Pass } from "./pass.ts";

/** Of runs. */
const PACE = { first: 100, least: 10, most: 2_000 };

/** What was put later may be about to be named. That it was put again is said once a day at most. */
const AGE_MS = 2 * TOUCH_EVERY_MS;

/**
 * Removes blobs that nothing names: noted when that was first seen, and removed if it is still so after the grace. A backup of the
 * database that is no older than the grace finds all that it names.
 */
export async function sweepBlobs(pass: Pass, stores: readonly SweptBlobs[], graceMs: number): Promise<void> {
  const { client, done } = pass;
  if (!(await isAnyOld(stores))) return;
  const pace = new Pace(PACE, pass.signal);
  await forgetNames(client);
  await pace.piece(() => nameInWaiting(client));
  await byPages(pass, pace, BEFORE_ALL_RUNS, (after, limit) => nameInRuns(client, after, limit));
  for (const week of await listWeeks(client)) {
    for (const table of week.tables) {
      await byPages(pass, pace, week.after, (after, limit) => nameInPart(client, table, week, { after, limit }));
    }
  }
  for (const store of stores) {
    for await (const digests of store.untouched(AGE_MS)) {
      await pass.keepTask();
      await pace.piece(async () => {
        const unnamed = await longUnnamed(client, digests, graceMs);
        if (unnamed.length === 0) return;
        done.blobsRemoved += await store.removeUntouched(unnamed, AGE_MS);
        await forgetUnnamed(client, unnamed);
      });
    }
  }
  await forgetNames(client);
}

/** `look` returns the last run that it has looked at; null: there are no more. */
async function byPages(
  pass: Pass,
  pace: Pace,
  first: string,
  look: (after: string, limit: number) => Promise<string | null>,
): Promise<void> {
  for (let after: string | null = first; after !== null;) {
    await pass.keepTask();
    const from: string = after;
    after = await pace.piece((limit) => look(from, limit));
  }
}

async function isAnyOld(stores: readonly SweptBlobs[]): Promise<boolean> {
  for (const store of stores) for await (const _ of store.untouched(AGE_MS)) return true;
  return false;
}
