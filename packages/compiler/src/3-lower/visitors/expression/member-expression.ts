import type { MemberExpression } from "oxc-parser";
import type { Register } from "../../code.ts";
import { leaveChain } from "../../expression/optional-chain.ts";
import { getProperty, propertyKey } from "../../expression/property.ts";
import { lowerResolution } from "../../expression/resolved-name.ts";
import type { FunctionLowering } from "../../function-lowering.ts";

export function lowerMemberExpression(
  f: FunctionLowering,
  node: MemberExpression,
  into: Register | undefined,
): Register {
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
