import { findRun, type RunView } from "../store/find-runs.ts";
import type { Queryable } from "../store/statement.ts";
import { missingError } from "./engine-error.ts";

/** A run of the namespace; rejects if there is none. */
export async function requireRun(client: Queryable, namespace: string, id: string): Promise<RunView> {
  const found = await findRun(client, namespace, id);
  if (found === undefined) throw missingError(id);
  return found;
}
