import type { CallExpression, Node } from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { positionAt, report, type DiagnosticSink } from "../diagnostic.ts";
import type { DiagnosticList } from "../diagnostic-list.ts";
import type { Module } from "../link/module.ts";
import { staticString } from "../link/static-value.ts";
import type { Names } from "../resolution.ts";
import { constantValue } from "./constant-value.ts";
import { resolutionOf, sinkOf, type NameContext } from "./context.ts";
import { checkOptions, optionValue, writtenOptions } from "./options.ts";
import { bare, isFunction, realParameters, type FunctionNode } from "./shape.ts";
import { checkHandler } from "./worker-code.ts";

/** The name of an action or workflow, and where it stands. */
export interface DeclaredName {
  readonly kind: "action" | "workflow";
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** All actions, workflows and signals that a module declares, whether a workflow uses them or not. */
export function checkDeclarations(module: Module, names: Names, diagnostics: DiagnosticList): void {
  const place: DeclarationPlace = { module, names, ...sinkOf(module, diagnostics) };
  eachDeclaration(module.program, place, (call) => checkDeclaration(call, place));
  const seen = new Map<string, DeclaredName>();
  for (const declared of declaredNames(module, names)) {
    const { kind, name } = declared;
    const first = seen.get(`${kind} ${name}`);
    if (first === undefined) seen.set(`${kind} ${name}`, declared);
    else report(place, "CAIRN5006", declared, { kind, name, other: lineOf(first, module) });
  }
}

/** By which runs and workers refer to what a module declares, in the order of its text. */
export function declaredNames(module: Module, names: Names): DeclaredName[] {
  const place: NameContext = { module, names };
  const found: DeclaredName[] = [];
  eachDeclaration(module.program, place, (call) => {
    const kind = declaredKind(call, place);
    const name = nameOf(call, place);
    if (kind === null || kind === "signal" || name === null || name === "") return;
    const { start, end } = call.arguments[0] ?? call;
    found.push({ kind, name, start, end });
  });
  return found;
}

/** Actions that a module declares, with their names as far as the source shows them. */
export function eachAction(module: Module, names: Names, tell: (call: CallExpression, name: string) => void): void {
  const place: NameContext = { module, names };
  eachDeclaration(module.program, place, (call) => {
    if (declaredKind(call, place) === "action") tell(call, nameOf(call, place) ?? "(unnamed)");
  });
}

function lineOf({ start }: DeclaredName, { source }: Module): string {
  return `line ${positionAt(source, start).line}`;
}

/** One that a body uses, perhaps in another module. Reports of the same place are kept once. */
export function checkDurableDeclaration(
  declaration: CallExpression,
  module: Module,
  context: NameContext & DiagnosticSink,
): void {
  checkDeclaration(declaration, { module, names: context.names, ...sinkOf(module, context.diagnostics) });
}

type DeclarationPlace = NameContext & DiagnosticSink;
type DeclaredKind = "action" | "workflow" | "signal";

function checkDeclaration(call: CallExpression, place: DeclarationPlace): void {
  const kind = declaredKind(call, place);
  if (kind === null) return;
  const name = nameOf(call, place);
  if (name === null) report(place, "CAIRN5004", call.arguments[0] ?? call, { kind });
  if (name === "") report(place, "CAIRN5005", call.arguments[0] ?? call, { kind });
  if (kind === "signal") return;
  checkOptions(writtenOptions(call), `the ${kind} ${name ?? "(unnamed)"}`, place);
  if (kind === "action") checkAction(call, name ?? "(unnamed)", place);
  else checkWorkflow(call, name ?? "(unnamed)", place);
}

function checkAction(call: CallExpression, name: string, place: DeclarationPlace): void {
  const written = call.arguments.at(-1);
  if (written === undefined || reportLateOptions(call, `action ${name}`, place)) return;
  const { node: handler, place: where } = constantValue(written, place);
  if (!isFunction(handler)) return;
  checkHandler(handler, name, { ...where, ...sinkOf(where.module, place.diagnostics) });
  if (handler.async) return;
  // A thread of its own may be kept busy; and options that only the run can tell may ask for one.
  const isolate = optionValue(writtenOptions(call), "isolate", place);
  if (isolate !== "thread" && isolate !== null) report(place, "CAIRN5001", written, { name });
}

function checkWorkflow(call: CallExpression, name: string, place: DeclarationPlace): void {
  const written = call.arguments.at(-1);
  const body = written === undefined ? null : bare(written);
  if (body !== null && isFunction(body)) {
    checkBody(body, name, place);
    return;
  }
  if (reportLateOptions(call, `workflow ${name}`, place)) return;
  const resolution = body === null ? null : resolutionOf(body, place);
  const global = resolution?.kind === "global" ? resolution.global : null;
  if (global?.declaration.kind !== "function") {
    const problem = `The body of the workflow ${name} is not a function that the compiler can see`;
    const instead = 'the async function in the call itself: `workflow("name", async (input) => { … })`';
    report(place, "CAIRN5008", written ?? call, { problem, instead });
  } else checkBody(global.declaration.node, global.name, sinkOf(global.module, place.diagnostics));
}

/** `action("name", async () => …, { retry })`, as other systems have it. */
function reportLateOptions(call: CallExpression, what: string, place: DeclarationPlace): boolean {
  const [, second, third] = call.arguments;
  if (second === undefined || third === undefined || !isFunction(bare(second))) return false;
  const [kind = ""] = what.split(" ");
  const problem = `The options of the ${what} stand behind its function, where the function itself is expected`;
  const instead = `them between the name and the function: \`${kind}("name", { … }, async (…) => …)\``;
  report(place, "CAIRN5008", third, { problem, instead });
  return true;
}

function checkBody(body: FunctionNode, name: string, sink: DiagnosticSink): void {
  // That it is a generator is said about the body itself.
  if (!body.async && !body.generator) report(sink, "CAIRN5002", body, { name });
  const [first, second] = realParameters(body);
  const excess = first?.type === "RestElement" ? first : second;
  if (excess !== undefined) report(sink, "CAIRN5003", excess, { name });
}

function declaredKind(call: CallExpression, place: NameContext): DeclaredKind | null {
  const resolution = resolutionOf(bare(call.callee), place);
  if (resolution?.kind === "durable" && resolution.durable === "signal" && resolution.declaration === null)
    return "signal";
  if (resolution?.kind !== "primitive") return null;
  return resolution.name === "action" || resolution.name === "workflow" ? resolution.name : null;
}

function nameOf(call: CallExpression, place: NameContext): string | null {
  const [name] = call.arguments;
  return name === undefined || name.type === "SpreadElement" ? null : staticString(name, place.module, place.names);
}

/** At module level, in tables too; what functions do when they are called is not looked at. */
function eachDeclaration(node: Node, place: NameContext, tell: (call: CallExpression) => void): void {
  if (isFunction(node)) return;
  if (node.type === "CallExpression" && declaredKind(node, place) !== null) tell(node);
  for (const child of children(node)) eachDeclaration(child, place, tell);
}
