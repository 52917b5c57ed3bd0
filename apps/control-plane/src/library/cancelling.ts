import { cancelRun } from "../store/end-runs.ts";
import type { Queryable } from "../store/statement.ts";
import { overError } from "./engine-error.ts";
import { requireRun } from "./require-run.ts";

/**
 * A run is to be cancelled. Rejects if it has ended otherwise, or was deleted: nothing is done then. One that is cancelled already is as it was
 * wanted, by whoever asks again because he was not told that it worked.
 */
export async function cancel(client: Queryable, namespace: string, id: string, reason: string): Promise<void> {
  if (await cancelRun(client, id, reason)) return;
  const run = await requireRun(client, namespace, id);
  if (run.status !== "cancelled" || run.deletedAt !== null) throw overError(run);
}
