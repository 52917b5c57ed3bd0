import { programOfKey } from "./compiled/compiled-key.ts";
import type { ActionDefinition } from "./definition.ts";
import { NotCompiled } from "./errors.ts";
import { durationMs, type LimitOptions } from "./options.ts";

/** What limits an action, as it is registered. */
export interface DeclaredLimits {
  readonly concurrency: { readonly limit: number; readonly key: CompiledKey } | null;
  readonly rate: { readonly limit: number; readonly perMs: number; readonly key: CompiledKey } | null;
}

/** A program of the arguments; null: all calls have the same key. */
type CompiledKey = { readonly program: string } | null;

/** Throws `NotCompiled` if a function makes keys that no hook has seen: it runs in the engine, which has no user code. */
export function declaredLimits({ name, options }: Pick<ActionDefinition, "name" | "options">): DeclaredLimits {
  const { concurrency, rate } = options;
  return {
    concurrency:
      concurrency === undefined ? null : { limit: concurrency.limit, key: keyOf(name, "concurrency", concurrency.key) },
    rate:
      rate === undefined
        ? null
        : { limit: rate.limit, perMs: Math.ceil(durationMs(rate.per)), key: keyOf(name, "rate", rate.key) },
  };
}

function keyOf(name: string, limit: keyof LimitOptions, key: object | undefined): CompiledKey {
  if (key === undefined) return null;
  const program = programOfKey(key);
  if (program !== undefined) return { program };
  throw new NotCompiled(
    `The function ${limit}.key of the action "${name}" was not compiled: the engine makes keys, and has no code of yours. ` +
      "Load its module with Cairn's hook, as those with workflows, and write the function in its place, at the top level of the module.",
  );
}
