import type { Node } from "oxc-parser";
import { erase } from "../../1-parse/erase.ts";
import type { Module } from "../link/module.ts";
import type { Names } from "../resolution.ts";
import { around, lastName } from "./names.ts";

/** `charge`, `charge.with(…)`, `child.start`: a call of it starts something durable once its arguments are there. */
export function isDurableCallee(node: Node, module: Module, names: Names): boolean {
  const bare = erase(node);
  const resolution = names.resolve(module, bare);
  if (resolution !== null) return resolution.kind === "durable";
  if (bare.type === "MemberExpression") return isDurableCallee(bare.object, module, names);
  if (bare.type !== "CallExpression") return false;
  const callee = erase(bare.callee);
  return callee.type === "MemberExpression" && lastName(callee) === "with" && isDurableCallee(callee, module, names);
}

/** Whether a reference is called where it stands; any other use is a value, which something else may call. */
export function isCalled(reference: Node, module: Module): boolean {
  for (let node: Node = reference; ;) {
    const parent = around(node, module);
    if (parent?.type === "CallExpression") return erase(parent.callee) === node;
    if (parent?.type !== "MemberExpression" || erase(parent.object) !== node) return false;
    const call = around(parent, module);
    if (call?.type !== "CallExpression" || erase(call.callee) !== parent) return false;
    if (lastName(parent) !== "with") return true;
    node = call;
  }
}
