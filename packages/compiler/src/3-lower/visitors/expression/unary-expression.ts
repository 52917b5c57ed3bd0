import type { Expression, UnaryExpression } from "oxc-parser";
import { erase } from "../../../1-parse/erase.ts";
import type { Register } from "../../code.ts";
import { literalOf, loadLiteral } from "../../expression/literal-value.ts";
import { withinChain } from "../../expression/optional-chain.ts";
import { propertyKey } from "../../expression/property.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerUnaryExpression(f: FunctionLowering, node: UnaryExpression, into: Register | undefined): Register {
  const { code } = f;
  switch (node.operator) {
    case "delete":
      return lowerDelete(f, node.argument, into);
    case "void": {
      f.effect(node.argument);
      const result = into ?? code.take();
      code.emit("Undefined", result);
      return result;
    }
    default: {
      const literal = literalOf(node);
      if (literal !== undefined) return loadLiteral(f, literal, into);
      const mark = code.mark();
      const operand = f.expression(node.argument);
      code.release(mark);
      const result = into ?? code.take();
      code.emit(unaryOpcodes[node.operator], result, operand);
      return result;
    }
  }
}

const unaryOpcodes = { "-": "Negate", "+": "ToNumber", "~": "BitNot", "!": "Not", typeof: "Typeof" } as const;

function lowerDelete(f: FunctionLowering, argument: Expression, into: Register | undefined): Register {
  const { code } = f;
  const target = erase(argument);
  if (target.type === "ChainExpression") {
    const result = into ?? code.take();
    withinChain(
      f,
      () => lowerDelete(f, target.expression, result),
      () => code.emit("True", result),
    );
    return result;
  }
  if (target.type !== "MemberExpression") {
    f.effect(target);
    return loadLiteral(f, true, into);
  }
  const mark = code.mark();
  const object = f.operand(target.object, target.computed ? [target.property] : []);
  if (target.optional && f.chain !== null) code.emit("JumpNullish", object, f.chain);
  const key = propertyKey(f, target);
  code.release(mark);
  const result = into ?? code.take();
  if (key.kind === "constant") code.emit("Delete", result, object, key.constant);
  else code.emit("DeleteComputed", result, object, key.register);
  return result;
}
