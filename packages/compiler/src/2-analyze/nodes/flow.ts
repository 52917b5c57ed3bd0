import type { ProgramEdge } from "@cairnjs/ir";

/** A node after which control goes on, and by which way. */
export interface End {
  readonly from: number;
  readonly label?: string;
}

/** Draws the edges between nodes as code is walked in order: approximate, for people who look at the graph. */
export class Flow {
  readonly edges: ProgramEdge[] = [];
  readonly #known = new Set<string>();
  ends: readonly End[] = [];

  /** Control reaches a node. */
  enter(node: number): void {
    for (const end of this.ends) this.connect(end, node);
    this.ends = [{ from: node }];
  }

  connect({ from, label }: End, to: number): void {
    const key = `${from} ${to} ${label ?? ""}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.edges.push(label === undefined ? { from, to } : { from, to, label });
  }

  /** The ends that code leaves which starts from the given ones. */
  branch(from: readonly End[], label: string | null, walk: () => void): readonly End[] {
    this.ends = label === null ? from : from.map((end) => ({ label, ...end }));
    walk();
    return this.ends;
  }

  join(...parts: (readonly End[])[]): void {
    const joined = new Map<string, End>();
    for (const end of parts.flat()) joined.set(`${end.from} ${end.label ?? ""}`, end);
    this.ends = [...joined.values()];
  }
}
