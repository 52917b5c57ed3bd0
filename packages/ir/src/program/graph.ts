import type { DurableKind, Program } from "./program.ts";

export interface ProgramGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  readonly kind: DurableKind;
  /** What people call it: the action's, workflow's or signal's name, or the end of the id where there is none. */
  readonly label: string;
  /** The function whose code holds it: the body, or a helper. */
  readonly functionName: string;
  readonly within: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

/** The durable calls of a program and the ways between them, by node id. */
export function graphOf(program: Program): ProgramGraph {
  const nodes = program.nodes.map((node) => ({
    id: node.id,
    kind: node.kind,
    label: node.name === "" ? lastPart(node.id) : node.name,
    functionName: ownerName(program, node.id),
    within: node.within,
  }));
  const edges = program.edges.map(({ from, to, label }) => ({
    from: program.nodes[from]?.id ?? "",
    to: program.nodes[to]?.id ?? "",
    ...(label === undefined ? {} : { label }),
  }));
  return { nodes, edges };
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1).replace(/#\d+$/, "");
}

/** The first part of an id names the workflow or the helper, also for nodes in arrows inside it. */
function ownerName(program: Program, id: string): string {
  const slash = id.indexOf("/");
  return slash > 0 ? id.slice(0, slash) : program.name;
}

/** The graph as a Mermaid flowchart, one box around each function. */
export function graphText(graph: ProgramGraph): string {
  const numbers = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]));
  const groups = groupByFunction(graph.nodes);
  const lines = ["flowchart TD"];
  let group = 0;
  for (const [name, nodes] of groups) {
    lines.push(`  subgraph g${group}["${escaped(name)}"]`);
    for (const node of nodes) {
      const [open, close] = SHAPES[node.kind];
      lines.push(`    ${numbers.get(node.id)}${open}"${escaped(node.label)}"${close}`);
    }
    lines.push("  end");
    group += 1;
  }
  for (const { from, to, label } of graph.edges) {
    const arrow = label === undefined ? "-->" : `-->|"${escaped(label)}"|`;
    lines.push(`  ${numbers.get(from)} ${arrow} ${numbers.get(to)}`);
  }
  return `${lines.join("\n")}\n`;
}

const SHAPES: Readonly<Record<DurableKind, readonly [open: string, close: string]>> = {
  action: ["[", "]"],
  workflow: ["[[", "]]"],
  sleep: ["([", "])"],
  signal: ["{{", "}}"],
  compensate: [">", "]"],
};

function groupByFunction(nodes: readonly GraphNode[]): Map<string, GraphNode[]> {
  const groups = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    const group = groups.get(node.functionName);
    if (group === undefined) groups.set(node.functionName, [node]);
    else group.push(node);
  }
  return groups;
}

/** Mermaid reads entities written with `#`; anything but plain characters could end the label. */
function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ._/:@-]/gu, (character) => `#${character.codePointAt(0)};`);
}
