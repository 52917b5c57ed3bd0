import { action, workflow } from "cairnjs";

type Graph = Map<string, Map<string, number>>;

const loadEdges = action("loadEdges", async (region: string): Promise<[string, string, number][]> =>
  region === "north"
    ? [
        ["a", "b", 4],
        ["a", "c", 1],
        ["c", "b", 2],
        ["b", "d", 5],
        ["c", "d", 8],
      ]
    : [
        ["d", "e", 3],
        ["e", "f", 0.5],
        ["d", "f", 10],
        ["f", "a", 1],
        ["x", "y", 1],
      ],
);

/** A binary heap of [priority, value] pairs. */
function newHeap<T>() {
  const items: [number, T][] = [];
  const swap = (i: number, j: number): void => {
    [items[i], items[j]] = [items[j]!, items[i]!];
  };
  return {
    size: () => items.length,
    push(priority: number, value: T): void {
      let at = items.push([priority, value]) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (items[parent]![0] <= items[at]![0]) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): [number, T] | undefined {
      const [top] = items;
      const last = items.pop();
      if (top === undefined || items.length === 0) return top;
      items[0] = last!;
      for (let at = 0; ;) {
        const left = 2 * at + 1;
        if (left >= items.length) break;
        const child = left + 1 < items.length && items[left + 1]![0] < items[left]![0] ? left + 1 : left;
        if (items[at]![0] <= items[child]![0]) break;
        swap(at, child);
        at = child;
      }
      return top;
    },
  };
}

function shortest(graph: Graph, from: string): { distance: Record<string, number>; path: (to: string) => string[] } {
  const distance: Record<string, number> = { [from]: 0 };
  const before = new Map<string, string>();
  const heap = newHeap<string>();
  const settled = new Set<string>();
  heap.push(0, from);
  for (let next = heap.pop(); next; next = heap.pop()) {
    const [far, node] = next;
    if (settled.has(node)) continue;
    settled.add(node);
    for (const [to, weight] of graph.get(node) ?? []) {
      const candidate = far + weight;
      if (candidate >= (distance[to] ?? Infinity)) continue;
      distance[to] = candidate;
      before.set(to, node);
      heap.push(candidate, to);
    }
  }
  const path = (to: string): string[] => {
    const steps: string[] = [];
    for (let at: string | undefined = to; at !== undefined; at = before.get(at)) steps.unshift(at);
    return steps[0] === from ? steps : [];
  };
  return { distance, path };
}

function stronglyConnected(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    graph.get(node)?.forEach((_, to) => {
      if (!index.has(to)) {
        visit(to);
        low.set(node, Math.min(low.get(node)!, low.get(to)!));
      } else if (stack.includes(to)) low.set(node, Math.min(low.get(node)!, index.get(to)!));
    });
    if (low.get(node) !== index.get(node)) return;
    const component: string[] = [];
    let member: string;
    do {
      member = stack.pop()!;
      component.push(member);
    } while (member !== node);
    components.push(component.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return components;
}

export default workflow("routes", async () => {
  const graph: Graph = new Map();
  const [north, south] = await Promise.all(["north", "south"].map((region) => loadEdges(region).catch(() => [])));
  for (const [from, to, weight] of [...north!, ...south!]) {
    if (!graph.has(from)) graph.set(from, new Map());
    graph.get(from)!.set(to, weight);
    if (!graph.has(to)) graph.set(to, new Map());
  }
  const { distance, path } = shortest(graph, "a");
  return { distance, toF: path("f"), toX: path("x"), components: stronglyConnected(graph), graph };
});
