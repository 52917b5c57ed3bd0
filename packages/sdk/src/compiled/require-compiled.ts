import { fileOf, isCommonJs } from "../declaration-place.ts";
import { declaredWorkflows, placeOf } from "../declared.ts";
import type { CompiledDefinition, WorkflowDefinition } from "../definition.ts";
import { NotCompiled } from "../errors.ts";
import { missingHook } from "./missing-hook.ts";

export function requireCompiled(definition: WorkflowDefinition): CompiledDefinition {
  const { name, compiled } = definition;
  if (compiled !== undefined) return compiled;
  const place = placeOf(definition);
  const about = {
    name,
    file: place === undefined ? null : fileOf(place),
    isCommonJs: place !== undefined && isCommonJs(place),
    othersAreCompiled: declaredWorkflows().some((each) => each.compiled !== undefined),
  };
  throw new NotCompiled(missingHook(about, process));
}
