import type { Argument } from "oxc-parser";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { lowerArguments } from "./arguments.ts";

interface PreparedCall {
  readonly callee: Register;
  readonly self: Register;
  readonly text: string;
  /** Registers taken for callee and this. */
  readonly mark: number;
}

export function emitCall(
  f: FunctionLowering,
  { callee, self, text, mark }: PreparedCall,
  nodes: readonly Argument[],
  into: Register | undefined,
): Register {
  const { code, outside } = f;
  const passed = lowerArguments(f, nodes);
  code.release(mark);
  const result = into ?? code.take();
  code.text(outside.tables.string(text));
  if ("array" in passed) code.emit("CallSpread", result, callee, self, passed.array);
  else code.emit("Call", result, callee, self, passed.first, passed.count);
  return result;
}
