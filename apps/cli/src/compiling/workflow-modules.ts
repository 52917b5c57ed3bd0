import type { CompiledFile } from "./project.ts";
import type { WorkflowModules } from "../loading/hooks.ts";
import type { StepPlace } from "../loading/transform-module.ts";

/** The modules whose code the workflows run, each with the steps in it. */
export function workflowModules(files: readonly CompiledFile[]): WorkflowModules {
  const modules = new Map<string, StepPlace[]>();
  for (const { path, byName } of files) {
    stepsOf(modules, path);
    for (const { program } of byName.values()) {
      for (const file of program.debug.files) stepsOf(modules, file);
      for (const { file, start, end, captures } of program.steps) {
        stepsOf(modules, file).push({ start, end, captures: [...captures] });
      }
    }
  }
  return modules;
}

function stepsOf(modules: Map<string, StepPlace[]>, file: string): StepPlace[] {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const steps: StepPlace[] = [];
  modules.set(file, steps);
  return steps;
}
