import { declaredActions, declaredLimits } from "cairnjs/host";
import { allLimits, registerLimits } from "../store/limits.ts";
import type { Queryable } from "../store/statement.ts";

/** Registers the limits of the actions of this process; those too that have none any more. */
export async function registerDeclaredLimits(client: Queryable, namespace: string): Promise<void> {
  const wanted = declaredActions().map((action) => ({ namespace, action: action.name, ...declaredLimits(action) }));
  if (wanted.length === 0) return;
  const there = new Set(
    (await allLimits(client)).filter((each) => each.namespace === namespace).map(({ action }) => action),
  );
  for (const limited of wanted) {
    const { action, concurrency, rate } = limited;
    if (concurrency !== null || rate !== null || there.has(action)) await registerLimits(client, limited);
  }
}
