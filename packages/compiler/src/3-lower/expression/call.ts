import type { Argument, CallExpression, Expression, NewExpression, Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import { Label, type Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { sourceText } from "../source-text.ts";
import { pushElements } from "./array.ts";
import { getProperty, leaveChain, propertyKey } from "./member.ts";

export function lowerCall(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register {
  const special = f.outside.special(f, node, into);
  if (special !== null) return special;
  if (node.callee.type === "Super") return lowerSuper(f, node, into);
  const { code } = f;
  const mark = code.mark();
  const { callee, self } = lowerCallee(f, node.callee, node.arguments);
  if (node.optional) leaveChain(f, callee);
  return emitCall(f, { callee, self, text: sourceText(node.callee), mark }, node.arguments, into);
}

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

export type Arguments = { readonly array: Register } | { readonly first: Register; readonly count: number };

/** Arguments in consecutive registers, or, when one is spread, all in an array. */
export function lowerArguments(f: FunctionLowering, nodes: readonly Argument[]): Arguments {
  if (nodes.some((node) => node.type === "SpreadElement")) {
    const array = f.code.take();
    f.code.emit("Array", array);
    pushElements(f, array, nodes);
    return { array };
  }
  const [only] = nodes;
  if (only === undefined) return { first: 0, count: 0 };
  if (nodes.length === 1) return { first: f.expression(only), count: 1 };
  const registers = nodes.map((node) => f.expression(node, f.code.take()));
  return { first: registers[0] ?? 0, count: nodes.length };
}

/** The function of a call and its `this`, -1 for none. */
function lowerCallee(
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
  const outer = f.chain;
  const short = new Label();
  const end = new Label();
  f.chain = short;
  const mark = code.mark();
  const parts = lowerCallee(f, node, later);
  f.chain = outer;
  code.emit("Jump", end);
  code.bind(short);
  code.emit("Undefined", parts.callee);
  if (parts.self >= mark) code.emit("Undefined", parts.self);
  code.bind(end);
  return parts;
}

export function lowerNew(f: FunctionLowering, node: NewExpression, into: Register | undefined): Register {
  const { code, outside } = f;
  const mark = code.mark();
  const callee = f.operand(node.callee, node.arguments);
  const passed = lowerArguments(f, node.arguments);
  code.release(mark);
  const result = into ?? code.take();
  code.text(outside.tables.string(sourceText(node.callee)));
  if ("array" in passed) code.emit("NewSpread", result, callee, passed.array);
  else code.emit("New", result, callee, passed.first, passed.count);
  return result;
}

/** In the constructor of an error class. Fields are set as soon as the parent has made the object. */
function lowerSuper(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register {
  const { code } = f;
  const mark = code.mark();
  const passed = lowerArguments(f, node.arguments);
  code.release(mark);
  const result = into ?? code.take();
  if ("array" in passed) code.emit("SuperSpread", result, passed.array);
  else code.emit("Super", result, passed.first, passed.count);
  f.afterSuper?.();
  return result;
}
