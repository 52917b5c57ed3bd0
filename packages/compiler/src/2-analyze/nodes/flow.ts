import type { ProgramEdge } from "@cairnjs/ir";

/** A place that control goes on from, and by which way. */
export interface End {
  readonly from: number | LoopHead;
  readonly label?: string;
}

/** Where each iteration of a loop begins. It is no node: what leads to it leads on to the first nodes behind it. */
export interface LoopHead {
  readonly before: readonly End[];
  /** How many nodes stood before it. */
  readonly position: number;
  /** The nodes that can be the first of an iteration. */
  readonly entries: Entry[];
  /** All that leads to it; null as long as the loop is being walked. */
  sources: readonly End[] | null;
}

interface Entry {
  readonly to: number;
  readonly label?: string;
}

/** Where the walk is in one function. */
interface Place {
  ends: readonly End[];
  /** Nodes whose failure no `catch` around them has met yet. */
  readonly failing: number[];
  hasNodes: boolean;
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
  #nodeCount = 0;
  place: Place = { ends: [], failing: [], hasNodes: false };

  /** Where control is; empty in code that is never reached. */
  get ends(): readonly End[] {
    return this.place.ends;
  }

  set ends(ends: readonly End[]) {
    this.place.ends = ends;
  }

  /** What is walked next is a function with this start; the place that is returned may be put back after it. */
  begin(start: number): Place {
    const outer = this.place;
    this.place = { ends: [{ from: start }], failing: [], hasNodes: false };
    return outer;
  }

  /** Control reaches a node. */
  enter(node: number): void {
    for (const end of this.ends) this.connect(end, node);
    this.ends = [{ from: node }];
    this.place.failing.push(node);
    this.place.hasNodes = true;
    this.#nodeCount = node + 1;
  }

  connect({ from, label }: End, to: number): void {
    if (typeof from === "number") this.#draw(from, to, label);
    else if (from.sources === null) from.entries.push(labelled<Entry>({ to }, label));
    else for (const source of from.sources) this.connect(labelled(source, label), to);
  }

  #draw(from: number, to: number, label: string | undefined): void {
    const key = `${from} ${to} ${label ?? ""}`;
    if (this.#known.has(key) || this.edges.length >= EDGES_MAX) return;
    this.#known.add(key);
    this.edges.push(labelled<ProgramEdge>({ from, to }, label));
  }

  /** What is walked next starts from the given ends, by the way of this name. */
  branch(from: readonly End[], label: string): void {
    this.ends = from.map((end) => labelled(end, label));
  }

  join(...parts: (readonly End[])[]): void {
    this.ends = this.met(...parts);
  }

  met(...parts: (readonly End[])[]): readonly End[] {
    const ends = merged(...parts);
    if (ends.length <= ENDS_MAX) return ends;
    return ends.toSorted((a, b) => position(a) - position(b)).slice(-ENDS_MAX);
  }

  /** What is walked next is run again and again, until `endLoop`. */
  startLoop(): LoopHead {
    const head: LoopHead = { before: this.met(this.ends), position: this.#nodeCount, entries: [], sources: null };
    this.ends = [{ from: head }];
    return head;
  }

  /** `again` are the ends of iterations that another one may follow. */
  endLoop(head: LoopHead, again: readonly End[]): void {
    const back = this.met(again).filter(({ from }) => from !== head);
    head.sources = this.met(head.before, back);
    for (const { to, label } of head.entries) {
      for (const end of head.before) this.connect(labelled(end, label), to);
      for (const { from } of back) this.connect({ from, label: "loop" }, to);
    }
  }
}

/** Where two ways from one node meet again without a node between, they are one. */
export function merged(...parts: (readonly End[])[]): End[] {
  const ends = new Map<End["from"], End>();
  for (const part of parts) {
    for (const end of part.flatMap(known)) {
      const other = ends.get(end.from);
      ends.set(end.from, other === undefined || other.label === end.label ? end : { from: end.from });
    }
  }
  return [...ends.values()];
}

/** An end at the head of a loop that has been walked is at all that leads there. */
function known(end: End): readonly End[] {
  if (typeof end.from === "number" || end.from.sources === null) return [end];
  return end.from.sources.flatMap((source) => known(labelled(source, end.label)));
}

/** Of two choices on one way, the first names it. */
export function labelled<T extends Partial<End & Entry>>(way: T, label: string | undefined): T {
  return way.label !== undefined || label === undefined ? way : { ...way, label };
}

function position({ from }: End): number {
  return typeof from === "number" ? from : from.position - 0.5;
}
