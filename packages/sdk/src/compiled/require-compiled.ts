import { missingHook } from "./missing-hook.ts";
import type { CompiledDefinition, WorkflowDefinition } from "../definition.ts";
import { NotCompiled } from "../errors.ts";

export function requireCompiled({ name, compiled }: WorkflowDefinition): CompiledDefinition {
  if (compiled === undefined) throw new NotCompiled(missingHook(name, process));
  return compiled;
}
