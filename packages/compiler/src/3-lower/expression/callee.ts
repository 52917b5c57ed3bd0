import type { Expression, Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { leaveChain, withinChain } from "./optional-chain.ts";
import { getProperty, propertyKey } from "./property.ts";

/** The function of a call and its `this`, -1 for none. */
export function lowerCallee(
  f: FunctionLowering,
  node: Expression,
  later: readonly Node[],
): { callee: Register; self: Register } {
  const { code } = f;
  const bare = erase(node);
  if (bare.type === "ChainExpression" && erase(bare.expression).type === "MemberExpression") {
    return lowerParenthesised(f, bare.expression, later);
  }
  if (bare.type !== "MemberExpression" || f.outside.resolve(f.module, bare) !== null) {
    return { callee: f.operand(bare, later), self: -1 };
  }
  const object = erase(bare.object);
  const self = f.outside.isWaited(f.module, object)
    ? lowerWaited(f, object)
    : f.operand(bare.object, bare.computed ? [bare.property, ...later] : later);
  if (bare.optional) leaveChain(f, self);
  const callee = code.take();
  const mark = code.mark();
  getProperty(f, callee, self, propertyKey(f, bare));
  code.release(mark);
  return { callee, self };
}

/** The `s` of `s.wait()`: a signal of the same name that knows the node of this wait. */
function lowerWaited(f: FunctionLowering, node: Node): Register {
  const { code, outside } = f;
  const result = code.take();
  const mark = code.mark();
  const name = code.take();
  code.emit("Get", name, f.expression(node), outside.tables.string("name"));
  const signal = code.take();
  code.emit("Durable", signal, outside.durable(f, node));
  code.text(outside.tables.string("signal"));
  code.emit("Call", result, signal, -1, name, 1);
  code.release(mark);
  return result;
}

/** `(a?.b)()`: the chain ends at the parenthesis, `this` is still `a`. */
function lowerParenthesised(
  f: FunctionLowering,
  node: Expression,
  later: readonly Node[],
): { callee: Register; self: Register } {
  const { code } = f;
  const mark = code.mark();
  return withinChain(
    f,
    () => lowerCallee(f, node, later),
    ({ callee, self }) => {
      code.emit("Undefined", callee);
      if (self >= mark) code.emit("Undefined", self);
    },
  );
}
