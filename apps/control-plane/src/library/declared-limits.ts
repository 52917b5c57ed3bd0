import type { ActionDefinition } from "cairnjs";
import { declaredActions, declaredLimits } from "cairnjs/host";
import { allLimits, registerLimits } from "../store/limits.ts";
import type { Queryable } from "../store/statement.ts";

/** Owns: which limits of the actions of this process are registered. */
export class DeclaredLimits {
  readonly #client: Queryable;
  readonly #namespace: string;
  readonly #registered = new WeakSet<ActionDefinition>();

  constructor(client: Queryable, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Of all actions that were declared since; also of those that have no limit any more. */
  async register(): Promise<void> {
    const missing = declaredActions().filter((action) => !this.#registered.has(action));
    if (missing.length === 0) return;
    const there = new Set(
      (await allLimits(this.#client)).filter((each) => each.namespace === this.#namespace).map(({ action }) => action),
    );
    for (const action of missing) {
      const limits = declaredLimits(action);
      if (limits.concurrency !== null || limits.rate !== null || there.has(action.name)) {
        await registerLimits(this.#client, { namespace: this.#namespace, action: action.name, ...limits });
      }
      this.#registered.add(action);
    }
  }
}
