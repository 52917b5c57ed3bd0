import type { CompiledDefinition, WorkflowDefinition } from "../definition.ts";
import { NotCompiled } from "../errors.ts";

export function requireCompiled({ name, compiled }: WorkflowDefinition): CompiledDefinition {
  if (compiled !== undefined) return compiled;
  throw new NotCompiled(
    `The workflow "${name}" was not compiled. Load its module through cairnjs/register, cairnjs/plugin or cairnjs/jest.`,
  );
}
