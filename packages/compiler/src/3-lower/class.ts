import type { Class, ClassElement, Function, PropertyDefinition, Statement } from "oxc-parser";
import type { Module } from "../2-analyze/link/module.ts";
import { staticKey } from "./expression/property.ts";
import { enterFunction, finish } from "./function.ts";
import { FunctionLowering } from "./function-lowering.ts";
import type { Outside } from "./outside.ts";
import { withScope } from "./scope.ts";
import { returnThis } from "./statement/return-this.ts";
import { Unlowerable } from "./unlowerable.ts";

/** The constructor of an error class, its fields included. Returns the function's index. */
export function lowerConstructor(outside: Outside, module: Module, node: Class, name: string): number {
  if (node.decorators.length > 0) throw new Unlowerable(node.decorators[0] ?? node);
  const own = node.body.body.find(isConstructor);
  const frame = module.scopes.frames.get(own?.value ?? node);
  if (frame === undefined) throw new Error("A class without a frame");
  const f = new FunctionLowering(outside, { module, frame });
  const { code } = f;
  code.at(own?.start ?? node.start);
  const fields = node.body.body.filter((member) => member !== own).flatMap(fieldOf);
  if (own === undefined) {
    const passed = code.take();
    placeThis(f, fields, []);
    const made = code.take();
    code.emit("SuperSpread", made, passed);
    f.afterSuper?.();
    returnThis(f, node);
    finish(f, { parameters: 0, rest: true, length: 0, name, async: false, kind: "constructor" });
    return f.index;
  }
  const signature = enterFunction(f, own.value);
  placeThis(f, fields, parameterProperties(own.value));
  const statements = (own.value.body?.body ?? []) as Statement[];
  withScope(f, own.value.body === null ? undefined : module.scopes.scopes.get(own.value.body), statements, () => {
    for (const statement of statements) f.statement(statement);
  });
  code.at(own.end - 1);
  returnThis(f, node);
  finish(f, { ...signature, name, async: false, kind: "constructor" });
  return f.index;
}

type Constructor = Extract<ClassElement, { type: "MethodDefinition" | "TSAbstractMethodDefinition" }>;

function isConstructor(member: ClassElement): member is Constructor {
  return member.type === "MethodDefinition" && member.kind === "constructor" && member.value.body !== null;
}

/** Only types: index signatures, abstract and declared fields, overloads of the constructor. */
function fieldOf(member: ClassElement): PropertyDefinition[] {
  if (member.type === "TSIndexSignature" || member.type === "TSAbstractPropertyDefinition") return [];
  if (member.type === "MethodDefinition" && member.kind === "constructor" && member.value.body === null) return [];
  if (member.type !== "PropertyDefinition" || member.static) throw new Unlowerable(member);
  return member.declare === true ? [] : [member];
}

function parameterProperties(node: Function): string[] {
  return node.params.flatMap((parameter) => {
    if (parameter.type !== "TSParameterProperty") return [];
    const { parameter: inner } = parameter;
    const target = inner.type === "AssignmentPattern" ? inner.left : inner;
    if (target.type !== "Identifier") throw new Unlowerable(target);
    return [target.name];
  });
}

/**
 * Says what runs when `super(…)` has returned, in the order of TypeScript's output for ES2022: fields for the
 * parameter properties, the other fields, then the values of the parameter properties.
 */
function placeThis(f: FunctionLowering, fields: readonly PropertyDefinition[], properties: readonly string[]): void {
  const { code, frame, outside } = f;
  const captured = frame.thisBinding?.captured === true ? frame.thisBinding : null;
  const cell = captured === null ? null : f.variables.place(captured);
  f.afterSuper = () => {
    const mark = code.mark();
    const self = code.take();
    code.emit("This", self);
    if (cell !== null) code.emit("CellOf", cell, self);
    for (const name of properties) {
      const nothing = code.take();
      code.emit("Undefined", nothing);
      code.emit("Define", self, outside.tables.string(name), nothing);
    }
    for (const field of fields) defineField(f, self, field);
    for (const name of properties) code.emit("Set", self, outside.tables.string(name), parameterValue(f, name));
    code.release(mark);
  };
}

function defineField(f: FunctionLowering, self: number, field: PropertyDefinition): void {
  const { code, outside } = f;
  const name = staticKey(field);
  if (name === null || field.decorators.length > 0) throw new Unlowerable(field);
  const mark = code.mark();
  let value: number;
  if (field.value === null) {
    value = code.take();
    code.emit("Undefined", value);
  } else {
    value = f.named(field.value, name);
  }
  code.emit("Define", self, outside.tables.string(name), value);
  code.release(mark);
}

function parameterValue(f: FunctionLowering, name: string): number {
  const binding = f.module.scopes.scopes.get(f.frame.node)?.bindings.get(name);
  if (binding === undefined) throw new Error(`No parameter ${name}`);
  return f.variables.load(binding, false);
}
