import type { CompiledFile } from "./project.ts";

/** The modules whose code the workflows run. */
export function workflowModules(files: readonly CompiledFile[]): ReadonlySet<string> {
  const modules = new Set<string>();
  for (const { path, byName } of files) {
    modules.add(path);
    for (const { program } of byName.values()) for (const file of program.debug.files) modules.add(file);
  }
  return modules;
}
