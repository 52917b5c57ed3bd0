import type { FunctionCode } from "@cairnjs/ir";
import type { ArrowFunctionExpression, Function, Node, ParamPattern, Statement } from "oxc-parser";
import type { Binding } from "../2-analyze/scope/binding.ts";
import { Label, type Register } from "./code.ts";
import type { FunctionLowering } from "./function-lowering.ts";
import { assignPattern } from "./pattern.ts";
import { enterUninitialised, withScope } from "./scope.ts";

type FunctionNode = Function | ArrowFunctionExpression;

/** Lowers the whole function and adds it to the program under the index. */
export function lowerFunction(f: FunctionLowering, node: FunctionNode, name: string): void {
  f.code.at(node.start);
  const signature = enterFunction(f, node);
  lowerBody(f, node);
  finish(f, { ...signature, name, async: node.async, kind: kindOf(f) });
}

function kindOf(f: FunctionLowering): FunctionCode["kind"] {
  return f.frame.kind === "module" ? "function" : f.frame.kind;
}

function lowerBody(f: FunctionLowering, node: FunctionNode): void {
  const { body } = node;
  if (body === null) return;
  if (body.type !== "BlockStatement") {
    f.code.at(body.start);
    f.code.emit("Return", f.expression(body));
    return;
  }
  const statements = body.body as Statement[];
  withScope(f, f.module.scopes.scopes.get(body), statements, () => {
    for (const statement of statements) f.statement(statement);
  });
}

export interface Signature {
  readonly parameters: number;
  readonly rest: boolean;
  readonly length: number;
}

/** Registers for the parameters, then their default values and patterns, in order. */
export function enterFunction(f: FunctionLowering, node: FunctionNode): Signature {
  const { code, frame, module } = f;
  const patterns = parametersOf(node.params);
  const rest = patterns.at(-1)?.type === "RestElement";
  const first = code.takeMany(patterns.length);
  const selfScope = node.id === null ? undefined : module.scopes.scopes.get(node.id);
  for (const binding of selfScope?.bindings.values() ?? []) placeSpecial(f, binding, "Self");
  if (frame.thisBinding !== null && frame.kind !== "constructor") placeSpecial(f, frame.thisBinding, "This");
  const scope = module.scopes.scopes.get(node);
  const arrivals = new Map(patterns.map((pattern, position) => [nameOf(pattern), first + position]));
  for (const binding of scope?.bindings.values() ?? []) {
    if (binding.kind !== "parameter") continue;
    const arrival = binding.checked ? undefined : arrivals.get(binding.name);
    if (arrival === undefined) enterUninitialised(f, binding, f.variables.place(binding));
    else f.variables.place(binding, arrival);
  }
  for (const [position, pattern] of patterns.entries()) enterParameter(f, pattern, first + position);
  const length = patterns.findIndex(({ type }) => type === "AssignmentPattern" || type === "RestElement");
  return {
    parameters: rest ? patterns.length - 1 : patterns.length,
    rest,
    length: length === -1 ? patterns.length : length,
  };
}

/** Without TypeScript's `this` parameter and modifiers. */
function parametersOf(params: readonly ParamPattern[]): Exclude<ParamPattern, { type: "TSParameterProperty" }>[] {
  return params
    .filter((parameter) => !(parameter.type === "Identifier" && parameter.name === "this"))
    .map((parameter) => (parameter.type === "TSParameterProperty" ? parameter.parameter : parameter));
}

/** The name of a parameter that is a plain name, with or without a default value. */
function nameOf(pattern: Node): string | null {
  if (pattern.type === "AssignmentPattern") return nameOf(pattern.left);
  if (pattern.type === "RestElement") return nameOf(pattern.argument);
  return pattern.type === "Identifier" ? pattern.name : null;
}

/** The function's own name and `this`, when closures use them, are variables like others. */
function placeSpecial(f: FunctionLowering, binding: Binding, opcode: "Self" | "This"): void {
  if (!binding.captured) return;
  const register = f.variables.place(binding);
  f.code.emit(opcode, register);
  f.code.emit("CellOf", register, register);
}

function enterParameter(f: FunctionLowering, pattern: Node, arrival: Register): void {
  const { code } = f;
  const mark = code.mark();
  const inner = pattern.type === "RestElement" ? pattern.argument : pattern;
  if (inner.type === "AssignmentPattern") {
    const given = new Label();
    code.emit("JumpNotUndefined", arrival, given);
    if (inner.left.type === "Identifier") f.named(inner.right, inner.left.name, arrival);
    else f.expression(inner.right, arrival);
    code.bind(given);
  }
  const target = inner.type === "AssignmentPattern" ? inner.left : inner;
  if (f.variables.livingIn(arrival) === undefined) assignPattern(f, target, arrival, "argument");
  code.release(mark);
}

/** Adds the end that falling off the body has, and hands the code over. */
export function finish(f: FunctionLowering, about: Signature & Pick<FunctionCode, "name" | "async" | "kind">): void {
  const { code } = f;
  if (code.isReachable) code.emit("ReturnUndefined");
  f.outside.define(
    f.index,
    {
      name: about.name,
      length: about.length,
      parameters: about.parameters,
      rest: about.rest,
      registers: code.registersMax,
      async: about.async,
      kind: about.kind,
      captures: code.captures,
      code: code.code,
      handlers: code.handlers,
      texts: code.texts,
    },
    { spans: code.spans, variables: f.variables.debug },
    f.module,
  );
}
