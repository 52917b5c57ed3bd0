import type { DurableKind, Program } from "./program.ts";

export interface ProgramGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * A durable call, or the start or end of a function: of the body always, of others when they have nodes. Functions
 * that are passed or assigned are part of the one they stand in.
 */
export interface GraphNode {
  readonly id: string;
  readonly kind: DurableKind | "start" | "end";
  /** What people call it: the action's, workflow's or signal's name, or the end of the id where there is none. */
  readonly label: string;
  /** The function whose code holds it: the body, or a helper. */
  readonly functionName: string;
  readonly within: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** As in a program: `undo` leads to a compensation, every other edge is a way that control may take. */
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
  const terminals = terminalsOf(program);
  const edges = program.edges.map(({ from, to, label }) => ({
    from: program.nodes[from]?.id ?? terminals.get(from)?.start.id ?? "",
    to: program.nodes[to]?.id ?? terminals.get(to)?.end.id ?? "",
    ...(label === undefined ? {} : { label }),
  }));
  return { nodes: [...nodes, ...[...terminals.values()].flatMap(({ start, end }) => [start, end])], edges };
}

interface Terminals {
  readonly start: GraphNode;
  readonly end: GraphNode;
}

/** Starts and ends by the number that edges give to both. No id of a node has a colon in its first part. */
function terminalsOf(program: Program): Map<number, Terminals> {
  const owners = new Map<number, string | null>();
  for (const { from, to } of program.edges) {
    for (const [outside, inside] of [
      [from, to],
      [to, from],
    ] as const) {
      if (outside >= 0) continue;
      const node = program.nodes[inside];
      owners.set(outside, owners.get(outside) ?? (node === undefined ? null : ownerName(program, node.id)));
    }
  }
  const used = new Map<string, number>();
  const terminals = new Map<number, Terminals>();
  for (const [outside, owner] of owners) {
    const own = program.functions[-1 - outside]?.name ?? "";
    const functionName = owner ?? (own === "" ? program.name : own);
    const name = own === "" ? functionName : own;
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    const suffix = count === 1 ? "" : `#${count}`;
    const terminal = (kind: "start" | "end"): GraphNode => ({
      id: `${kind}:${name}${suffix}`,
      kind,
      label: `.${functionName}`.endsWith(`.${name}`) ? kind : `${kind} of ${name}`,
      functionName,
      within: [],
    });
    terminals.set(outside, { start: terminal("start"), end: terminal("end") });
  }
  return terminals;
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
    const line = label === "undo" ? "-.->" : "-->";
    const arrow = label === undefined ? line : `${line}|"${escaped(label)}"|`;
    lines.push(`  ${numbers.get(from)} ${arrow} ${numbers.get(to)}`);
  }
  return `${lines.join("\n")}\n`;
}

const SHAPES: Readonly<Record<GraphNode["kind"], readonly [open: string, close: string]>> = {
  action: ["[", "]"],
  workflow: ["[[", "]]"],
  sleep: ["([", "])"],
  signal: ["{{", "}}"],
  compensate: [">", "]"],
  start: ["((", "))"],
  end: ["(((", ")))"],
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
