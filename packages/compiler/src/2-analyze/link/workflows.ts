import type { CallExpression, Expression, Node, Statement } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import { exported } from "../scope/declare.ts";
import type { Linker } from "./linker.ts";
import type { Module } from "./module.ts";

/** A `workflow(…)` that a module declares. */
export interface WorkflowDeclaration {
  readonly name: string;
  readonly exportName: string;
  readonly call: CallExpression;
  readonly module: Module;
  /** First part of its node ids: the constant's name, or else the function's, or else from the workflow's own. */
  readonly title: string;
}

/** All workflows declared at the top level of a module, the default export first. */
export function workflowsOf(module: Module, linker: Linker): WorkflowDeclaration[] {
  const found: WorkflowDeclaration[] = [];
  for (const { constant, init } of initialisers(module.program.body)) {
    const call = erase(init);
    if (call.type !== "CallExpression") continue;
    const meaning = linker.durableDeclaration(module, call);
    if (meaning?.kind !== "durable" || meaning.durable !== "workflow") continue;
    const { name } = meaning;
    const exportName = constant === null ? "default" : exportedAs(module, constant);
    found.push({ name, exportName, call, module, title: constant ?? functionName(call) ?? lastSegment(name) });
  }
  return found.toSorted((a, b) => Number(b.exportName === "default") - Number(a.exportName === "default"));
}

/** Everything that is the value of a variable at the top level or the default export: only there workflows are looked for. */
export function* initialisers(
  statements: readonly Statement[],
): Generator<{ constant: string | null; init: Expression }> {
  for (const statement of statements) {
    const node = exported(statement);
    if (node.type === "VariableDeclaration" && node.declare !== true) {
      for (const { id, init } of node.declarations) {
        if (id.type === "Identifier" && init !== null) yield { constant: id.name, init };
      }
    } else if (statement.type === "ExportDefaultDeclaration") {
      yield { constant: null, init: node as Expression };
    }
  }
}

/** `default` if it is exported as that too; its own name when it is not exported at all. */
function exportedAs(module: Module, constant: string): string {
  const names: string[] = [];
  for (const [name, target] of module.exports) {
    if (target.kind === "local" && target.name === constant) names.push(name);
    if (target.kind === "default" && name === "default" && isName(target.node, constant)) names.push(name);
  }
  return names.includes("default") ? "default" : (names[0] ?? constant);
}

function isName(node: Node, name: string): boolean {
  const bare = erase(node);
  return bare.type === "Identifier" && bare.name === name;
}

function functionName(call: CallExpression): string | null {
  const last = call.arguments.at(-1);
  if (last === undefined) return null;
  const body = erase(last);
  if (body.type === "FunctionExpression") return body.id?.name ?? null;
  return body.type === "Identifier" ? body.name : null;
}

/** `refund` of `billing.refund.v1`. */
function lastSegment(name: string): string {
  const segments = name.split(".").filter((segment) => !/^v\d+$/.test(segment));
  return segments.at(-1) ?? name;
}
