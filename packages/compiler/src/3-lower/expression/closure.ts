import type { ArrowFunctionExpression, Function, Node } from "oxc-parser";
import type { Register } from "../code.ts";
import { lowerFunction } from "../function.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { Unlowerable } from "../unlowerable.ts";

/** A closure. `name` is what the place where the function stands calls it. */
export function lowerClosure(
  f: FunctionLowering,
  node: Function | ArrowFunctionExpression,
  into: Register | undefined,
  name = "",
): Register {
  if (node.generator) throw new Unlowerable(node, "a generator");
  const frame = f.module.scopes.frames.get(node);
  if (frame === undefined) throw new Error("A function without a frame");
  const closure = f.nested(frame);
  lowerFunction(closure, node, node.id?.name ?? name);
  const result = into ?? f.code.take();
  f.code.emit("Function", result, closure.index);
  return result;
}

export function isAnonymousFunction(node: Node): node is Function | ArrowFunctionExpression {
  return (node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression") && node.id === null;
}
