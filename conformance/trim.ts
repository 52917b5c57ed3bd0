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
 * list, and those that name what it declares. What is left is still a test, since Node.js gets the same. Null if a
 * place is not in a statement of `inner`.
 */
export function withoutStatements(module: string, inner: string, places: readonly number[]): string | null {
  const from = module.indexOf(inner);
  const tree = parseSync("/test.ts", module, { sourceType: "module" }).program as unknown as TreeNode;
  const ranges: Range[] = [];
  const waiting = [...places];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const at = place;
    if (ranges.some(({ start, end }) => start <= at && end > at)) continue;
    const statement = innermost(tree, at);
    if (statement === null || statement.start < from || statement.end > from + inner.length) return null;
    ranges.push(statement);
    const names = declaredBy(statement);
    if (names.size > 0) waiting.push(...usesOf(names, tree));
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

function innermost(node: TreeNode, place: number): TreeNode | null {
  let found: TreeNode | null = null;
  const visit = (visited: TreeNode): void => {
    const list = LISTS[visited.type];
    for (const [field, child] of childrenOf(visited)) {
      if (child.start > place || child.end <= place) continue;
      if (field === list) found = child;
      visit(child);
    }
  };
  visit(node);
  return found;
}

function declaredBy(statement: TreeNode): Set<string> {
  const names = new Set<string>();
  const declared =
    statement.type === "VariableDeclaration"
      ? (statement["declarations"] as TreeNode[]).map((one) => one["id"])
      : [statement["id"]];
  for (const id of declared) if (isNode(id) && id.type === "Identifier") names.add(id["name"] as string);
  return names;
}

function usesOf(names: ReadonlySet<string>, tree: TreeNode): number[] {
  const places: number[] = [];
  const visit = (node: TreeNode): void => {
    if (node.type === "Identifier" && names.has(node["name"] as string)) places.push(node.start);
    for (const [, child] of childrenOf(node)) visit(child);
  };
  visit(tree);
  return places;
}

function* childrenOf(node: TreeNode): Generator<[field: string, child: TreeNode]> {
  for (const [field, value] of Object.entries(node)) {
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) yield [field, child];
    } else if (isNode(value)) yield [field, value];
  }
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
