import type { ProgramEdge } from "@cairnjs/ir";

/** A node after which control goes on, and by which way. */
export interface End {
  readonly from: number;
  readonly label?: string;
}

/**
 * After many statements in a row that may be skipped, control can come from any of them. Only the nearest are drawn:
 * all of them would be edges by the square of the statements, and no help to the reader.
 */
const ENDS_MAX = 32;
/** A graph of more edges helps nobody, and programs have a limit. */
const EDGES_MAX = 100_000;

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
    if (this.#known.has(key) || this.edges.length >= EDGES_MAX) return;
    this.#known.add(key);
    this.edges.push(label === undefined ? { from, to } : { from, to, label });
  }

  /** What is walked next starts from the given ends, by the way of this name. */
  branch(from: readonly End[], label: string): void {
    this.ends = from.map((end) => ({ label, ...end }));
  }

  /** Where two ways from one node meet again without a node between, they are one. */
  join(...parts: (readonly End[])[]): void {
    const joined = new Map<number, End>();
    for (const part of parts) {
      for (const end of part) {
        const known = joined.get(end.from);
        joined.delete(end.from);
        joined.set(end.from, known === undefined || known.label === end.label ? end : { from: end.from });
      }
    }
    this.ends = [...joined.values()].slice(-ENDS_MAX);
  }
}
