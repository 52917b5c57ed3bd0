import { parseSync } from "oxc-parser";

interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Takes the statements at the given places out of the part `inner` of a module: the innermost one that stands in a
 * list. What is left is still a test, since Node.js gets the same. Null if a place is not in a statement of `inner`.
 */
export function withoutStatements(module: string, inner: string, places: readonly number[]): string | null {
  const from = module.indexOf(inner);
  const tree = parseSync("/test.ts", module, { sourceType: "module" }).program as unknown as TreeNode;
  const ranges: Range[] = [];
  for (const place of places) {
    const range = innermost(tree, place);
    if (range === null || range.start < from || range.end > from + inner.length) return null;
    ranges.push(range);
  }
  let text = inner;
  for (const { start, end } of outermost(ranges)) text = `${text.slice(0, start - from)};${text.slice(end - from)}`;
  return text;
}

const LISTS: Readonly<Record<string, string>> = {
  BlockStatement: "body",
  FunctionBody: "body",
  SwitchCase: "consequent",
};

function innermost(node: TreeNode, place: number): Range | null {
  let found: Range | null = null;
  const visit = (visited: TreeNode): void => {
    if (visited.start > place || visited.end <= place) return;
    const list = LISTS[visited.type];
    for (const [field, value] of Object.entries(visited)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (!isNode(child)) continue;
        if (field === list && child.start <= place && child.end > place) found = child;
        visit(child);
      }
    }
  };
  visit(node);
  return found;
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === "object" && value !== null && typeof (value as TreeNode).type === "string";
}

/** Those that are inside no other, the last first, so that each can be cut without moving the next. */
function outermost(ranges: readonly Range[]): Range[] {
  const distinct = ranges.filter((range, at) => ranges.findIndex(({ start }) => start === range.start) === at);
  return distinct
    .filter((range) => !distinct.some((other) => other.start < range.start && other.end >= range.end))
    .sort((a, b) => b.start - a.start);
}
