import type { Linker } from "./linker.ts";
import type { Module } from "./module.ts";

/**
 * Modules in the order in which an engine evaluates them: those that one imports first, in the order of its
 * imports, then itself; a circle is entered where it is met first. Modules that no name has led to are left out,
 * since nothing in the program comes from them.
 */
export function evaluationOrder(entry: Module, linker: Linker): Module[] {
  const order: Module[] = [];
  const seen = new Set([entry]);
  const open = [{ module: entry, imported: linker.modules.importedBy(entry), next: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const module = top.imported[top.next];
    top.next += 1;
    if (module === undefined) {
      order.push(top.module);
      open.pop();
    } else if (!seen.has(module)) {
      seen.add(module);
      open.push({ module, imported: linker.modules.importedBy(module), next: 0 });
    }
  }
  return order;
}
