import type { HeapObject, Layout } from "./layout.ts";
import { codeLayouts } from "./layout-code.ts";
import { dataLayouts } from "./layout-data.ts";
import { matchLayouts } from "./layout-match.ts";
import { invalid } from "./reader.ts";

/** How objects of a kind are stored. */
export function layoutOf(kind: number): Layout<HeapObject> {
  const layout = dataLayouts[kind] ?? codeLayouts[kind] ?? matchLayouts[kind];
  if (layout === undefined) invalid(`an object of kind ${kind}`);
  return layout;
}
