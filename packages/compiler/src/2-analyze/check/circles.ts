import { report } from "../diagnostic.ts";
import type { Global } from "../resolution.ts";
import type { ConstantUse } from "./context.ts";

/** Constants of several modules that need each other: whichever module is loaded first fails. */
export function checkCircles(uses: readonly ConstantUse[]): void {
  const usesOf = new Map<Global, ConstantUse[]>();
  for (const use of uses) usesOf.set(use.from, [...(usesOf.get(use.from) ?? []), use]);
  const done = new Set<Global>();
  const open = new Set<Global>();
  const visit = (global: Global): void => {
    open.add(global);
    for (const { to, node, sink } of usesOf.get(global) ?? []) {
      if (open.has(to)) report(sink, "CAIRN3010", node, { name: to.name });
      else if (!done.has(to)) visit(to);
    }
    open.delete(global);
    done.add(global);
  };
  for (const global of usesOf.keys()) if (!done.has(global)) visit(global);
}
