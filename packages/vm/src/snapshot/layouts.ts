import type { HeapObject, Layout } from "./layout.ts";
import { codeLayouts } from "./layout-code.ts";
import { collectionLayouts } from "./layout-collection.ts";
import { dataLayouts } from "./layout-data.ts";
import { matchLayouts } from "./layout-match.ts";
import { promiseLayouts } from "./layout-promise.ts";
import { webLayouts } from "./layout-web.ts";
import { invalid } from "./reader.ts";

const layouts: Readonly<Record<number, Layout<HeapObject> | undefined>> = {
  ...dataLayouts,
  ...collectionLayouts,
  ...webLayouts,
  ...codeLayouts,
  ...promiseLayouts,
  ...matchLayouts,
};

/** How objects of a kind are stored. */
export function layoutOf(kind: number): Layout<HeapObject> {
  const layout = layouts[kind];
  if (layout === undefined) invalid(`an object of kind ${kind}`);
  return layout;
}
