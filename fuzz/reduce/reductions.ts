import { type Edit, applyEdits } from "../run/source-edits.ts";
import { type TreeNode, childrenOf, isNode, parseTree } from "../run/syntax-tree.ts";

export interface Reduction {
  readonly source: string;
  /** Characters that it saves. */
  readonly saved: number;
}

/**
 * Smaller modules that might show the same defect: statements left out, blocks opened, expressions replaced by a
 * part of themselves. Many do not compile; whoever asks tries them. Those that save most come first.
 */
export function reductions(source: string): Reduction[] {
  let program: TreeNode;
  try {
    program = parseTree("reduced.ts", source);
  } catch {
    return [];
  }
  const edits: Edit[] = [];
  collect(program, source, edits);
  const seen = new Set<string>();
  const found: Reduction[] = [];
  for (const edit of edits) {
    const saved = edit.end - edit.start - edit.text.length;
    const key = `${edit.start}:${edit.end}:${edit.text}`;
    if (saved <= 0 || seen.has(key)) continue;
    seen.add(key);
    found.push({ source: applyEdits(source, [edit]), saved });
  }
  return found.toSorted((a, b) => b.saved - a.saved);
}

const LISTS: Readonly<Record<string, readonly string[]>> = {
  Program: ["body"],
  BlockStatement: ["body"],
  SwitchStatement: ["cases"],
  SwitchCase: ["consequent"],
  ClassBody: ["body"],
};

/** Lists whose items are separated by commas. */
const COMMA_LISTS: Readonly<Record<string, readonly string[]>> = {
  ArrayExpression: ["elements"],
  ObjectExpression: ["properties"],
  CallExpression: ["arguments"],
  NewExpression: ["arguments"],
  VariableDeclaration: ["declarations"],
  ObjectPattern: ["properties"],
  ArrayPattern: ["elements"],
  ArrowFunctionExpression: ["params"],
  FunctionDeclaration: ["params"],
  FunctionExpression: ["params"],
  SequenceExpression: ["expressions"],
  ImportDeclaration: ["specifiers"],
  TSEnumBody: ["members"],
};

function collect(node: TreeNode, source: string, edits: Edit[]): void {
  for (const field of LISTS[node.type] ?? []) removeItems(listAt(node, field), edits);
  for (const field of COMMA_LISTS[node.type] ?? []) removeListed(listAt(node, field), edits);
  openStatement(node, source, edits);
  replaceExpression(node, source, edits);
  for (const child of childrenOf(node)) collect(child, source, edits);
}

function listAt(node: TreeNode, field: string): TreeNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Runs of one, two, four … statements. */
function removeItems(items: readonly TreeNode[], edits: Edit[]): void {
  for (let size = 1; size <= items.length; size *= 2) {
    for (let at = 0; at + size <= items.length; at += Math.max(1, size / 2)) {
      edits.push({ start: items[at]!.start, end: items[at + size - 1]!.end, text: "" });
    }
  }
}

function removeListed(items: readonly TreeNode[], edits: Edit[]): void {
  for (const [index, item] of items.entries()) {
    const next = items[index + 1];
    const before = items[index - 1];
    if (next !== undefined) edits.push({ start: item.start, end: next.start, text: "" });
    else edits.push({ start: before?.end ?? item.start, end: item.end, text: "" });
  }
}

/** A statement replaced by a statement inside it. */
function openStatement(node: TreeNode, source: string, edits: Edit[]): void {
  const inside = ["body", "consequent", "alternate", "block", "finalizer"].map((field) => node[field]).filter(isNode);
  if (!node.type.endsWith("Statement")) return;
  for (const inner of inside) {
    if (!inner.type.endsWith("Statement")) continue;
    edits.push({ start: node.start, end: node.end, text: textOf(inner, source) });
    if (inner.type === "BlockStatement")
      edits.push({ start: node.start, end: node.end, text: textOf(inner, source).slice(1, -1) });
  }
  const alternate = node["alternate"];
  if (node.type === "IfStatement" && isNode(alternate))
    edits.push({ start: (node["consequent"] as TreeNode).end, end: alternate.end, text: "" });
  const { handler, finalizer } = node;
  if (isNode(handler) && isNode(finalizer)) {
    edits.push(
      { start: handler.start, end: handler.end, text: "" },
      { start: handler.end, end: finalizer.end, text: "" },
    );
  }
}

const REPLACED = /Expression$|^(?:TemplateLiteral|Literal|Identifier)$/;

function replaceExpression(node: TreeNode, source: string, edits: Edit[]): void {
  if (node.type === "Literal" || node.type === "Identifier") return;
  if (node.type === "AssignmentPattern") edits.push(whole(node, textOf(node["left"] as TreeNode, source)));
  if (node.type === "VariableDeclarator" && isNode(node["init"]))
    edits.push({ start: node["init"].start, end: node["init"].end, text: "0" });
  if (node.type === "ExpressionStatement" || !REPLACED.test(node.type)) return;
  for (const simple of ["0", "[]", "null"]) edits.push(whole(node, simple));
  for (const child of childrenOf(node)) {
    if (REPLACED.test(child.type)) edits.push(whole(node, textOf(child, source)));
    else if (child.type === "BlockStatement" || child.type === "SpreadElement" || child.type === "Property") {
      for (const inner of childrenOf(child))
        if (REPLACED.test(inner.type)) edits.push(whole(node, textOf(inner, source)));
    }
  }
}

function whole({ start, end }: TreeNode, text: string): Edit {
  return { start, end, text };
}

function textOf({ start, end }: TreeNode, source: string): string {
  return source.slice(start, end);
}
