import type { Function, Statement } from "oxc-parser";
import type { Binding, Scope } from "../2-analyze/scope/binding.ts";
import { isTypeOnly } from "../1-parse/erase.ts";
import { Unlowerable } from "./unlowerable.ts";
import type { FunctionLowering } from "./function-lowering.ts";

/** Lowers something inside a scope whose variables are made first, and whose functions exist from its start. */
export function withScope(
  f: FunctionLowering,
  scope: Scope | undefined,
  statements: readonly Statement[],
  body: () => void,
): void {
  if (scope === undefined) return body();
  const mark = f.code.mark();
  for (const binding of scope.bindings.values()) enter(f, binding);
  hoistFunctions(f, statements);
  body();
  for (const binding of scope.bindings.values()) f.variables.forget(binding);
  f.code.release(mark);
}

function enter(f: FunctionLowering, binding: Binding): void {
  switch (binding.kind) {
    case "ambient":
      return;
    case "class":
    case "enum":
    case "namespace":
      throw new Unlowerable(binding.declaration);
    case "var": {
      const register = f.variables.place(binding);
      enterVar(f, binding, register);
      return;
    }
    case "function": {
      const register = f.variables.place(binding);
      if (binding.captured) f.code.emit("Cell", register);
      return;
    }
    default:
      enterUninitialised(f, binding, f.variables.place(binding));
  }
}

/** Sets the mark that the checked instructions look for, when there are any for this variable. */
export function enterUninitialised(f: FunctionLowering, binding: Binding, register: number): void {
  if (!binding.checked) return;
  f.code.emit("Uninit", register);
  if (binding.captured) f.code.emit("CellOf", register, register);
}

/** With default values in the parameter list, `var` of a parameter's name is a second variable with its value. */
function enterVar(f: FunctionLowering, binding: Binding, register: number): void {
  const { code, variables } = f;
  const outer = binding.scope.parent;
  const parameter = outer?.kind === "parameters" ? outer.bindings.get(binding.name) : undefined;
  if (parameter === undefined) code.emit("Undefined", register);
  else variables.load(parameter, false, register);
  if (binding.captured) code.emit("CellOf", register, register);
}

/** Of several functions with one name the last one counts. */
function hoistFunctions(f: FunctionLowering, statements: readonly Statement[]): void {
  const functions = new Map<string, Function>();
  for (const statement of statements) {
    if (statement.type === "FunctionDeclaration" && statement.id !== null && !isTypeOnly(statement)) {
      functions.delete(statement.id.name);
      functions.set(statement.id.name, statement);
    }
  }
  for (const [name, node] of functions) {
    const binding = lookUp(f.module.scopes.scopes.get(node)?.parent ?? null, name);
    if (binding === null) throw new Error(`No variable for the function ${name}`);
    const mark = f.code.mark();
    const direct = f.variables.plain(binding);
    const value = f.expression(node, direct);
    if (value !== direct) f.variables.store(binding, value, false);
    f.code.release(mark);
  }
}

function lookUp(scope: Scope | null, name: string): Binding | null {
  for (let at = scope; at !== null; at = at.parent) {
    const binding = at.bindings.get(name);
    if (binding !== undefined) return binding;
  }
  return null;
}
