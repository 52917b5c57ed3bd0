import { parseSync } from "oxc-parser";

/** Any node, read loosely: the harness looks at a few fields of many kinds. */
export interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export function parseTree(name: string, source: string): TreeNode {
  const { program, errors } = parseSync(name, source, { preserveParens: true, sourceType: "module" });
  const [problem] = errors;
  if (problem !== undefined) throw new SyntaxError(`${name}: ${problem.message}`);
  return program as unknown as TreeNode;
}

export function isNode(value: unknown): value is TreeNode {
  return typeof value === "object" && value !== null && typeof (value as TreeNode).type === "string";
}

export function nodeAt(node: TreeNode, field: string): TreeNode | null {
  const value = node[field];
  return isNode(value) ? value : null;
}

export function nodesAt(node: TreeNode, field: string): TreeNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function childrenOf(node: TreeNode): TreeNode[] {
  const children: TreeNode[] = [];
  for (const value of Object.values(node)) {
    if (isNode(value)) children.push(value);
    else if (Array.isArray(value)) children.push(...value.filter(isNode));
  }
  return children;
}

/** The node and everything below it, outermost first. */
export function* allNodes(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of childrenOf(node)) yield* allNodes(child);
}
