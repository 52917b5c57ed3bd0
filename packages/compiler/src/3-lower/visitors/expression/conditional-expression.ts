import type { ConditionalExpression } from "oxc-parser";
import { Label, type Register } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerConditionalExpression(
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

export function lowerConditionalExpressionEffect(f: FunctionLowering, node: ConditionalExpression): void {
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
