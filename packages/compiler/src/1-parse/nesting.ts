import { visitorKeys, type Node, type Program } from "oxc-parser";

/**
 * The phases after parsing call themselves for what is inside of something, and what one level takes of the stack
 * differs: these weights are in proportion to it. With them, code that runs for the first time, when frames are
 * largest, overflowed Node.js's default stack at 1,940 or more for each kind of nesting. So the limit leaves half
 * of the stack to whoever calls the compiler.
 */
const NESTING_MAX = 1_000;

const weights: Readonly<Partial<Record<Node["type"], number>>> = {
  ForOfStatement: 4,
  ForInStatement: 4,
  ForStatement: 3,
  WhileStatement: 3,
  DoWhileStatement: 3,
  SwitchStatement: 3,
  TryStatement: 3,
  ArrowFunctionExpression: 2,
  FunctionDeclaration: 2,
  FunctionExpression: 2,
  ArrayExpression: 2,
  ArrayPattern: 2,
  AssignmentExpression: 2,
  BlockStatement: 2,
  CallExpression: 2,
  ConditionalExpression: 2,
  IfStatement: 2,
  LogicalExpression: 2,
  TemplateLiteral: 2,
};

/** The first node that is nested too deeply, or null. Does not call itself: the tree may be of any depth. */
export function tooDeepNode(program: Program): Node | null {
  const nodes: Node[] = [program];
  const depths: number[] = [0];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const depth = depths.pop() ?? 0;
    if (depth > NESTING_MAX) return node;
    const fields = node as unknown as Readonly<Record<string, Node | readonly (Node | null)[] | null | undefined>>;
    for (const key of visitorKeys[node.type] ?? []) {
      const value = fields[key];
      if (value === null || value === undefined) continue;
      if (Array.isArray(value)) {
        for (const item of value as (Node | null)[]) {
          if (item === null) continue;
          nodes.push(item);
          depths.push(depth + (weights[item.type] ?? 1));
        }
      } else {
        const child = value as Node;
        nodes.push(child);
        depths.push(depth + (isElseIf(node, child) ? 0 : (weights[child.type] ?? 1)));
      }
    }
  }
  return null;
}

/** Chains of `else if` are walked in loops. */
function isElseIf(node: Node, child: Node): boolean {
  return child.type === "IfStatement" && node.type === "IfStatement" && node.alternate === child;
}
