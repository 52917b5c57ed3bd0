import type { FunctionCode, FunctionDebug } from "@cairnjs/ir";
import type { CallExpression, Node } from "oxc-parser";
import type { Module } from "../2-analyze/link/module.ts";
import type { Global, Resolution } from "../2-analyze/resolution.ts";
import type { Binding } from "../2-analyze/scope/binding.ts";
import type { Register } from "./code.ts";
import type { FunctionLowering } from "./function-lowering.ts";
import type { Tables } from "./tables.ts";

/** What functions being lowered share: a program, or the prelude. */
export interface Outside {
  readonly tables: Tables;
  /** See `Names.resolve`. */
  resolve(module: Module, node: Node): Resolution | null;
  /** The global's place; a global is set because something asked for it. */
  slot(global: Global): number;
  /** The durable of a reference; each node of the tree has one of its own. */
  durable(f: FunctionLowering, node: Node): number;
  /** Whether the `s` of an `s.wait()` has a node, and so a durable, of its own. */
  isWaited(module: Module, node: Node): boolean;
  /** Takes the next function index for the function, or for the module that an initialiser belongs to. */
  reserve(node: Node): number;
  define(index: number, code: FunctionCode, debug: Omit<FunctionDebug, "file">, module: Module): void;
  /** A call that is not a call at run time: `step(…)`, `$.call(…)`, `action(…)` in a table. null: an ordinary one. */
  special(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register | null;
  /** Sets a module-level variable from its declaration. */
  initialise(f: FunctionLowering, binding: Binding, value: Register): void;
}
