import type { Argument } from "oxc-parser";
import type { Register } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { pushElements } from "./elements.ts";

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
