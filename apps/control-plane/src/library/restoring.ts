import { setTimeout as delay } from "node:timers/promises";
import { restoreRun } from "../store/end-runs.ts";
import type { Queryable } from "../store/statement.ts";
import { refusalOf } from "./sql-refusal.ts";

/** Whoever holds a run that was deleted just now lets go of it when he has read that. */
const TRIES_MAX = 50;
const TRY_AGAIN_MS = 100;

/** A deleted run is as it was, and so are those that were deleted with it. False if it is not deleted. */
export async function restore(client: Queryable, id: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await restoreRun(client, id);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal?.code !== "HeldUp" || tries >= TRIES_MAX) throw refusal ?? error;
    }
    await delay(TRY_AGAIN_MS);
  }
}
