import type { ChainExpression, MemberExpression } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import { Label, type Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { Unlowerable } from "../unlowerable.ts";
import { lowerResolution } from "./identifier.ts";

export type PropertyKey =
  | { readonly kind: "constant"; readonly constant: number }
  | { readonly kind: "register"; readonly register: Register };

export function lowerMember(f: FunctionLowering, node: MemberExpression, into: Register | undefined): Register {
  const resolution = f.outside.resolve(f.module, node);
  if (resolution !== null) return lowerResolution(f, node, resolution, into);
  const { code } = f;
  const mark = code.mark();
  const object = f.operand(node.object, node.computed ? [node.property] : []);
  if (node.optional) leaveChain(f, object);
  const key = propertyKey(f, node);
  code.release(mark);
  const result = into ?? code.take();
  getProperty(f, result, object, key);
  return result;
}

export function getProperty(f: FunctionLowering, result: Register, object: Register, key: PropertyKey): void {
  if (key.kind === "constant") f.code.emit("Get", result, object, key.constant);
  else f.code.emit("GetComputed", result, object, key.register);
}

export function setProperty(f: FunctionLowering, object: Register, key: PropertyKey, value: Register): void {
  if (key.kind === "constant") f.code.emit("Set", object, key.constant, value);
  else f.code.emit("SetComputed", object, key.register, value);
}

/** Evaluates the key of a member expression; a string literal is the same as a name. */
export function propertyKey(f: FunctionLowering, node: MemberExpression): PropertyKey {
  const { property } = node;
  if (property.type === "PrivateIdentifier") throw new Unlowerable(property);
  if (!node.computed) return { kind: "constant", constant: f.outside.tables.string(node.property.name) };
  const bare = erase(property);
  if (bare.type === "Literal" && typeof bare.value === "string") {
    return { kind: "constant", constant: f.outside.tables.string(bare.value) };
  }
  return { kind: "register", register: f.expression(property) };
}

export function leaveChain(f: FunctionLowering, value: Register): void {
  if (f.chain === null) throw new Error("An optional link outside a chain");
  f.code.emit("JumpNullish", value, f.chain);
}

export function lowerChain(f: FunctionLowering, node: ChainExpression, into: Register | undefined): Register {
  const { code } = f;
  const result = into ?? code.take();
  const outer = f.chain;
  const short = new Label();
  const end = new Label();
  f.chain = short;
  f.expression(node.expression, result);
  f.chain = outer;
  code.emit("Jump", end);
  code.bind(short);
  code.emit("Undefined", result);
  code.bind(end);
  return result;
}
