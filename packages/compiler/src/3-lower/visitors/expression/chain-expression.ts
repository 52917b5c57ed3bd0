import type { ChainExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { withinChain } from "../../expression/optional-chain.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerChainExpression(f: FunctionLowering, node: ChainExpression, into: Register | undefined): Register {
  const result = into ?? f.code.take();
  withinChain(
    f,
    () => f.expression(node.expression, result),
    () => f.code.emit("Undefined", result),
  );
  return result;
}
