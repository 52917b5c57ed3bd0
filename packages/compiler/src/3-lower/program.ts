import { createHash } from "node:crypto";
import {
  PROGRAM_FORMAT,
  SEMANTICS,
  type FunctionCode,
  type FunctionDebug,
  type Program,
  type ProgramEdge,
} from "@cairnjs/ir";
import type { Node } from "oxc-parser";
import type { LinkedWorkflow } from "../2-analyze/link/reach.ts";
import type { Linker } from "../2-analyze/link/linker.ts";
import { type CollectedNodes, collectNodes } from "../2-analyze/nodes/collect.ts";
import type { Unit } from "../2-analyze/resolution.ts";
import { lowerFunction } from "./function.ts";
import { FunctionLowering } from "./function-lowering.ts";
import { lowerInitialiser } from "./initialiser.ts";
import { ProgramOutside } from "./program-outside.ts";

/** The program of a workflow that the checks have found nothing wrong with. */
export function lowerProgram(workflow: LinkedWorkflow, linker: Linker): Program {
  const collected = collectNodes(workflow, linker);
  const outside = new ProgramOutside(workflow, linker, collected);
  const [body, ...others] = workflow.units;
  if (body === undefined) throw new Error("A workflow without a body");
  const entry = lowerUnit(outside, body);
  for (const unit of others) {
    if (unit.role === "helper" && unit.global !== null) outside.helpers.set(unit.global, lowerUnit(outside, unit));
  }
  if (workflow.bodyGlobal !== null) outside.helpers.set(workflow.bodyGlobal, entry);
  const init = lowerInitialiser(outside, workflow);
  const { tables } = outside;
  return {
    format: PROGRAM_FORMAT,
    semantics: SEMANTICS,
    name: workflow.name,
    functions: outside.functions as FunctionCode[],
    constants: tables.constants,
    intrinsics: tables.intrinsics,
    durables: collected.nodes.map(({ kind, name }, node) => ({ kind, name, node })),
    classes: outside.classes,
    globals: outside.globals,
    init,
    entry,
    nodes: collected.nodes.map((node, index) => ({ ...node, function: outside.holders[index] ?? entry })),
    edges: lowerEdges(collected, outside.indexes),
    steps: outside.steps,
    debug: {
      files: outside.files,
      lines: outside.lines,
      functions: outside.debug as FunctionDebug[],
      sourceHash: sourceHash(workflow.units),
    },
  };
}

/**
 * Starts and ends are known by the index of their function. One that a later declaration of the same name replaces has
 * no code, so no start and no end.
 */
function lowerEdges({ edges, functions }: CollectedNodes, indexes: ReadonlyMap<Node, number>): ProgramEdge[] {
  const place = (end: number): number | null => {
    if (end >= 0) return end;
    const node = functions[-1 - end];
    const index = node === undefined ? undefined : indexes.get(node);
    return index === undefined ? null : -1 - index;
  };
  const placed = edges.flatMap((edge) => {
    const from = place(edge.from);
    const to = place(edge.to);
    return from === null || to === null ? [] : [{ ...edge, from, to }];
  });
  return placed.toSorted(byPlace);
}

/** In the order of the code: the ways from a start first, those to an end last. */
function byPlace(a: ProgramEdge, b: ProgramEdge): number {
  const max = Number.MAX_SAFE_INTEGER;
  const start = ({ from }: ProgramEdge): number => (from < 0 ? -max - from : from);
  const end = ({ to }: ProgramEdge): number => (to < 0 ? max : to);
  return start(a) - start(b) || end(a) - end(b);
}

function lowerUnit(outside: ProgramOutside, { module, node, name }: Unit): number {
  const frame = module.scopes.frames.get(node);
  const isFunction =
    node.type === "ArrowFunctionExpression" ||
    node.type === "FunctionExpression" ||
    node.type === "FunctionDeclaration";
  if (frame === undefined || !isFunction) throw new Error(`${name} is not a function`);
  const f = new FunctionLowering(outside, { module, frame });
  lowerFunction(f, node, node.id?.name ?? name);
  return f.index;
}

/** Covers the text of every module that the workflow has code from. */
function sourceHash(units: readonly Unit[]): string {
  const hash = createHash("sha256");
  for (const module of new Set(units.map((unit) => unit.module))) hash.update(module.sourceHash);
  return hash.digest("hex");
}
