import type { EmbeddedModule } from "./embedded-module.ts";

/**
 * Owns: modules that have steps, by their ids, put there when they are evaluated. It stands under a registered
 * symbol since a project and a tool may have a copy of this package each.
 */
const REGISTRY = Symbol.for("cairnjs.compiled");

type Registry = Map<string, () => EmbeddedModule>;

export function modulesWithSteps(): Registry {
  const holder = globalThis as { [REGISTRY]?: Registry };
  return (holder[REGISTRY] ??= new Map());
}
