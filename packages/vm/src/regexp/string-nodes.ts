/** The tree of StringTable. For lookbehind the strings are reversed. */
export function stringNodes(strings: readonly (readonly number[])[], isBack: boolean): Int32Array {
  const root = newBranch();
  for (const string of strings) {
    let branch = root;
    for (const codePoint of isBack ? string.toReversed() : string) {
      let child = branch.children.get(codePoint);
      if (child === undefined) {
        child = newBranch();
        branch.children.set(codePoint, child);
      }
      branch = child;
    }
    branch.isEnd = true;
  }
  return flatten(root);
}

/** The node reached from another by a code point, or -1. */
export function childNode(nodes: Int32Array, node: number, codePoint: number): number {
  let low = 0;
  let high = nodes[node + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = nodes[node + 2 + 2 * middle] ?? 0;
    if (found === codePoint) return nodes[node + 3 + 2 * middle] ?? -1;
    if (found < codePoint) low = middle + 1;
    else high = middle;
  }
  return -1;
}

interface Branch {
  isEnd: boolean;
  readonly children: Map<number, Branch>;
}

function newBranch(): Branch {
  return { isEnd: false, children: new Map() };
}

/** Breadth first: strings may be as long as the pattern, so the tree may be that deep. */
function flatten(root: Branch): Int32Array {
  const branches = [root];
  const positions = new Map<Branch, number>();
  let size = 0;
  for (const branch of branches) {
    positions.set(branch, size);
    size += 2 + 2 * branch.children.size;
    for (const child of branch.children.values()) branches.push(child);
  }
  const nodes: number[] = [];
  for (const branch of branches) {
    nodes.push(branch.isEnd ? 1 : 0, branch.children.size);
    const children = [...branch.children].sort(([one], [two]) => one - two);
    for (const [codePoint, child] of children) nodes.push(codePoint, positions.get(child) ?? 0);
  }
  return Int32Array.from(nodes);
}
