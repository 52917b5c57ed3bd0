import type { MemberExpression, Node } from "oxc-parser";
import { erase } from "../1-parse/erase.ts";
import { mayBeUninitialised } from "../2-analyze/scope/readiness.ts";
import type { Binding } from "../2-analyze/scope/binding.ts";
import type { Register } from "./code.ts";
import { getProperty, propertyKey, setProperty, type PropertyKey } from "./expression/property.ts";
import type { FunctionLowering } from "./function-lowering.ts";
import { Unlowerable } from "./unlowerable.ts";

/** Something to assign to, its object and key already evaluated. */
type Target =
  | { readonly kind: "variable"; readonly binding: Binding; readonly checked: boolean; readonly isInit: boolean }
  | { readonly kind: "member"; readonly object: Register; readonly key: PropertyKey };

/** `later` is what is evaluated between this and the assignment. */
export function prepareTarget(f: FunctionLowering, node: Node, later: readonly (Node | null)[]): Target {
  const bare = erase(node);
  if (bare.type === "MemberExpression") return prepareMember(f, bare, later);
  if (bare.type !== "Identifier") throw new Unlowerable(bare);
  const reference = f.module.scopes.references.get(bare);
  const binding = reference?.binding;
  if (reference === undefined || binding == null) throw new Unlowerable(bare, "a write to an undeclared variable");
  const isInit = reference.access === "init";
  if (binding.scope.kind === "module" && !isInit) throw new Unlowerable(bare, "a write to a module-level variable");
  const checked = !isInit && mayBeUninitialised(reference, binding);
  return { kind: "variable", binding, checked, isInit: isInit && binding.kind !== "var" };
}

function prepareMember(f: FunctionLowering, node: MemberExpression, later: readonly (Node | null)[]): Target {
  const object = f.operand(node.object, node.computed ? [node.property, ...later] : later);
  const key = propertyKey(f, node);
  if (key.kind === "constant") return { kind: "member", object, key };
  return { kind: "member", object, key: { kind: "register", register: f.keep(key.register, later) } };
}

export function readTarget(f: FunctionLowering, target: Target): Register {
  if (target.kind === "variable") return f.variables.load(target.binding, target.checked);
  const result = f.code.take();
  getProperty(f, result, target.object, target.key);
  return result;
}

export function writeTarget(f: FunctionLowering, target: Target, value: Register): void {
  if (target.kind === "member") {
    setProperty(f, target.object, target.key, value);
    return;
  }
  const { binding, checked, isInit } = target;
  if (isInit || binding.scope.kind === "module") {
    f.variables.initialise(binding, value);
  } else if (isConstant(binding)) {
    if (checked) f.variables.load(binding, true);
    f.code.emit("ThrowConstAssign", f.outside.tables.string(binding.name));
  } else {
    f.variables.store(binding, value, checked);
  }
}

/** Reading the variable has checked it. */
export function alreadyRead(target: Target): Target {
  return target.kind === "variable" ? { ...target, checked: false } : target;
}

function isConstant({ kind }: Binding): boolean {
  return kind === "const" || kind === "self";
}

/**
 * The variable's own register, when a value may be written there at once: nobody can see it before the write of the
 * declaration, and an assignment that is not checked is one instruction.
 */
export function directRegister(f: FunctionLowering, target: Target, isFinalWrite: boolean): Register | undefined {
  if (target.kind !== "variable") return undefined;
  const { binding, checked, isInit } = target;
  const mayWrite = isInit ? !binding.checked : isFinalWrite && !checked && !isConstant(binding);
  return mayWrite ? f.variables.plain(binding) : undefined;
}
