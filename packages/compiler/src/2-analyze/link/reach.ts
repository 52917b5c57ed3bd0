import type { Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { erase, isTypeOnly } from "../../1-parse/erase.ts";
import type { Global, Resolution, Unit, UnitUse } from "../resolution.ts";
import { markCaptures } from "../scope/captures.ts";
import type { Linker } from "./linker.ts";
import type { WorkflowDeclaration } from "./workflows.ts";

/** A workflow with all the code that belongs to it. */
export interface LinkedWorkflow extends WorkflowDeclaration {
  /** The body first, then what it reaches, nearest first. */
  readonly units: readonly Unit[];
  /** The global that is the body, when the body is given by name. */
  readonly bodyGlobal: Global | null;
}

/** null when there is no function to be the body; the checks report that. */
export function linkWorkflow(workflow: WorkflowDeclaration, linker: Linker): LinkedWorkflow | null {
  const body = bodyOf(workflow, linker);
  if (body === null) return null;
  const units: Unit[] = [body.unit];
  const seen = new Set<Global>(body.global === null ? [] : [body.global]);
  for (let index = 0; index < units.length; index += 1) {
    const unit = units[index];
    if (unit === undefined) break;
    markCaptures(unit.module.scopes, unit.node, (node) => linker.isStepArrow(unit.module, node));
    eachResolution(unit, linker, (resolution, node) => {
      if (resolution.kind !== "global" || seen.has(resolution.global)) return;
      seen.add(resolution.global);
      units.push(unitOf(resolution.global, unit.usedAt ?? { module: unit.module, node }));
    });
  }
  return { ...workflow, units, bodyGlobal: body.global };
}

function bodyOf(workflow: WorkflowDeclaration, linker: Linker): { unit: Unit; global: Global | null } | null {
  const last = workflow.call.arguments.at(-1);
  if (last === undefined || last.type === "SpreadElement") return null;
  const { module, title: name } = workflow;
  const node = erase(last);
  if (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression") {
    return { unit: { role: "body", name, module, node, global: null, usedAt: null }, global: null };
  }
  const resolution = linker.resolve(module, node);
  if (resolution?.kind !== "global" || resolution.global.declaration.kind !== "function") return null;
  const { global } = resolution;
  const { node: body } = resolution.global.declaration;
  return { unit: { role: "body", name, module: global.module, node: body, global, usedAt: null }, global };
}

function unitOf(global: Global, usedAt: UnitUse): Unit {
  const { declaration, module, name } = global;
  switch (declaration.kind) {
    case "function":
      return { role: "helper", name, module, node: declaration.node, global, usedAt };
    case "class":
      return { role: "class", name, module, node: declaration.node, global, usedAt };
    case "enum":
      return { role: "enum", name, module, node: declaration.nodes[0] ?? module.program, global, usedAt };
    default:
      return { role: "constant", name, module, node: constantNode(global), global, usedAt };
  }
}

/** The initialiser, with the pattern that takes it apart if there is one. */
function constantNode({ declaration, binding, module }: Global): Node {
  if (declaration.kind !== "constant") return module.program;
  const { pattern, init } = declaration;
  return pattern === null || pattern.type === "Identifier" || binding === null ? init : binding.declaration;
}

/** Tells what each name in a unit stands for; code that the workflow does not run is left out. */
function eachResolution(
  unit: Unit,
  linker: Linker,
  tell: (resolution: Resolution, node: Node) => void,
  within = unit.node,
): void {
  const { module } = unit;
  if (isTypeOnly(within) || (within !== unit.node && linker.isOpaque(module, within))) return;
  if (within.type === "Identifier" || within.type === "MemberExpression") {
    const resolution = linker.resolve(module, within);
    if (resolution !== null) return tell(resolution, within);
  }
  for (const child of children(within)) eachResolution(unit, linker, tell, child);
}
