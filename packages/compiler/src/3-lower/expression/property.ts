import type { MemberExpression, Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { Unlowerable } from "../unlowerable.ts";

export type PropertyKey =
  | { readonly kind: "constant"; readonly constant: number }
  | { readonly kind: "register"; readonly register: Register };

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

/** The key of a property that is known without running anything; null for a computed one. */
export function staticKey(property: { readonly key: Node; readonly computed: boolean }): string | null {
  const key = erase(property.key);
  if (key.type === "Literal" && !("regex" in key)) {
    if ("bigint" in key) return property.computed ? null : String(BigInt(key.bigint));
    if (typeof key.value === "string" || typeof key.value === "number") return String(key.value);
  }
  if (property.computed) return null;
  if (key.type === "Identifier") return key.name;
  throw new Unlowerable(key);
}
