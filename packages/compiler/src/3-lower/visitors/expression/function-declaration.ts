import type { Function } from "oxc-parser";
import type { Register } from "../../code.ts";
import { lowerClosure } from "../../expression/closure.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

/** Where its scope starts: what it declares is there before the first statement runs. */
export function lowerFunctionDeclaration(f: FunctionLowering, node: Function, into: Register | undefined): Register {
  return lowerClosure(f, node, into);
}
