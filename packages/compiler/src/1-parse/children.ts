import { visitorKeys, type Node } from "oxc-parser";

/** The nodes directly below a node, in source order; types and other erased syntax included. */
export function children(node: Node): Node[] {
  const found: Node[] = [];
  const fields = node as unknown as Readonly<Record<string, Field>>;
  for (const key of visitorKeys[node.type] ?? []) {
    const value = fields[key];
    if (value === null || value === undefined) continue;
    if (!Array.isArray(value)) found.push(value as Node);
    else for (const item of value as (Node | null)[]) if (item !== null) found.push(item);
  }
  return found;
}

/** What the keys of `visitorKeys` hold. */
type Field = Node | readonly (Node | null)[] | null | undefined;
