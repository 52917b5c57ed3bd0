import { action, workflow } from "cairnjs";

type Tree = { weight: number; order: number } & ({ symbol: string } | { left: Tree; right: Tree });

const archive = action("archive", async (bytes: Uint8Array, bits: number) => ({ stored: bytes.length, bits }));

function buildTree(text: string): Tree | null {
  const weights = new Map<string, number>();
  for (const symbol of text) weights.set(symbol, (weights.get(symbol) ?? 0) + 1);
  let order = 0;
  const queue: Tree[] = [...weights].map(([symbol, weight]) => ({ symbol, weight, order: order++ }));
  const byWeight = (a: Tree, b: Tree): number => a.weight - b.weight || a.order - b.order;
  queue.sort(byWeight);
  while (queue.length > 1) {
    const [left, right] = queue.splice(0, 2) as [Tree, Tree];
    const merged: Tree = { weight: left.weight + right.weight, order: order++, left, right };
    const at = queue.findIndex((tree) => byWeight(tree, merged) > 0);
    queue.splice(at < 0 ? queue.length : at, 0, merged);
  }
  return queue[0] ?? null;
}

function codesOf(tree: Tree, prefix = "", codes: Record<string, string> = {}): Record<string, string> {
  if ("symbol" in tree) codes[tree.symbol] = prefix || "0";
  else {
    codesOf(tree.left, `${prefix}0`, codes);
    codesOf(tree.right, `${prefix}1`, codes);
  }
  return codes;
}

function pack(bits: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  for (let at = 0; at < bits.length; at++) if (bits[at] === "1") bytes[at >> 3]! |= 0x80 >> (at & 7);
  return bytes;
}

function unpack(tree: Tree, bytes: Uint8Array, count: number): string {
  let text = "";
  let node = tree;
  for (let at = 0; at < count; at++) {
    if (!("symbol" in node)) node = (bytes[at >> 3]! & (0x80 >> (at & 7))) === 0 ? node.left : node.right;
    if ("symbol" in node) ((text += node.symbol), (node = tree));
  }
  return text;
}

export const input = "she sells sea shells 😀 by the sea shore";

export default workflow("huffman", async (text: string) => {
  const tree = buildTree(text);
  if (tree === null) return null;
  const codes = codesOf(tree);
  const bits = Array.from(text, (symbol) => codes[symbol]!).join("");
  const bytes = pack(bits);
  const receipt = await archive(bytes, bits.length).catch((error: unknown) => ({ error }));
  return {
    codes,
    bytes,
    receipt,
    same: unpack(tree, bytes, bits.length) === text,
    average: Number((bits.length / [...text].length).toFixed(3)),
    checksum: bytes.reduce((sum, byte, index) => (sum * 31 + byte * (index + 1)) >>> 0, 17),
  };
});
