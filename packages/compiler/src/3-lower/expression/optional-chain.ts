import { Label, type Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";

/** Lowers an optional chain as one whole; `short` says what its result is when a link meets null or undefined. */
export function withinChain<T>(f: FunctionLowering, whole: () => T, short: (result: T) => void): T {
  const { code } = f;
  const outer = f.chain;
  const leaving = new Label();
  const end = new Label();
  f.chain = leaving;
  const result = whole();
  f.chain = outer;
  code.emit("Jump", end);
  code.bind(leaving);
  short(result);
  code.bind(end);
  return result;
}

export function leaveChain(f: FunctionLowering, value: Register): void {
  if (f.chain === null) throw new Error("An optional link outside a chain");
  f.code.emit("JumpNullish", value, f.chain);
}
