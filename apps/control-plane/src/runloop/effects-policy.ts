import type { EffectsPolicy } from "../store/fork-run.ts";
import { errorText } from "./error-text.ts";

/** Whether a run may have actions, children and events: a fork often may not. Null: it may have all. */
export function isForbidden(effects: string | null, name: string): boolean {
  if (effects === null) return false;
  const { allow } = JSON.parse(effects) as EffectsPolicy;
  return !allow.includes(name);
}

/** What a call gets that may not be made, encoded. */
export function forbiddenError(name: string): string {
  return errorText("EffectForbidden", `This run is a fork, and may not have effects: ${name} is not allowed`);
}
