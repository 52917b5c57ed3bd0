import type { AwaitExpression, ConditionalExpression, LogicalExpression, SequenceExpression } from "oxc-parser";
import { Label, type Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { Unlowerable } from "../unlowerable.ts";

export function lowerAwait(f: FunctionLowering, node: AwaitExpression, into: Register | undefined): Register {
  if (f.frame.kind === "module") throw new Unlowerable(node, "await at the top level of a module");
  const { code } = f;
  const mark = code.mark();
  const value = f.expression(node.argument);
  code.release(mark);
  const result = into ?? code.take();
  code.emit("Await", result, value);
  return result;
}

export function lowerConditional(
  f: FunctionLowering,
  node: ConditionalExpression,
  into: Register | undefined,
): Register {
  const { code } = f;
  const result = into ?? code.take();
  const otherwise = new Label();
  const end = new Label();
  f.condition(node.test, otherwise, false);
  f.expression(node.consequent, result);
  code.emit("Jump", end);
  code.bind(otherwise);
  f.expression(node.alternate, result);
  code.bind(end);
  return result;
}

export function lowerConditionalEffect(f: FunctionLowering, node: ConditionalExpression): void {
  const { code } = f;
  const otherwise = new Label();
  const end = new Label();
  f.condition(node.test, otherwise, false);
  f.effect(node.consequent);
  code.emit("Jump", end);
  code.bind(otherwise);
  f.effect(node.alternate);
  code.bind(end);
}

export function lowerLogicalEffect(f: FunctionLowering, node: LogicalExpression): void {
  const end = new Label();
  if (node.operator === "??") {
    const mark = f.code.mark();
    f.code.emit("JumpNotNullish", f.expression(node.left), end);
    f.code.release(mark);
  } else {
    f.condition(node.left, end, node.operator === "||");
  }
  f.effect(node.right);
  f.code.bind(end);
}

export function lowerSequence(f: FunctionLowering, node: SequenceExpression, into: Register | undefined): Register {
  const last = node.expressions.at(-1);
  if (last === undefined) throw new Error("An empty sequence");
  for (const expression of node.expressions.slice(0, -1)) f.effect(expression);
  return f.expression(last, into);
}

export function lowerSequenceEffect(f: FunctionLowering, node: SequenceExpression): void {
  for (const expression of node.expressions) f.effect(expression);
}
