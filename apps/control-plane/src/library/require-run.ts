import { findRun, findRunWithValues, type RunSummaryView, type RunView } from "../store/find-runs.ts";
import type { Queryable } from "../store/statement.ts";
import { missingError } from "./engine-error.ts";

/** A run of the namespace; rejects if there is none. Its values may be large, and are not read. */
export async function requireRun(client: Queryable, namespace: string, id: string): Promise<RunSummaryView> {
  return there(await findRun(client, namespace, id), id);
}

export async function requireRunWithValues(client: Queryable, namespace: string, id: string): Promise<RunView> {
  return there(await findRunWithValues(client, namespace, id), id);
}

function there<View>(found: View | undefined, id: string): View {
  if (found === undefined) throw missingError(id);
  return found;
}
