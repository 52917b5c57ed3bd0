import { SEMANTICS, type FunctionCode, type Prelude } from "@cairnjs/ir";
import type { CallExpression, Expression, Node } from "oxc-parser";
import { erase } from "../1-parse/erase.ts";
import type { Module } from "../2-analyze/link/module.ts";
import type { Global, Names, Resolution } from "../2-analyze/resolution.ts";
import type { Binding } from "../2-analyze/scope/binding.ts";
import type { Register } from "./code.ts";
import { lowerArguments } from "./expression/arguments.ts";
import { emitCall } from "./expression/emit-call.ts";
import { lowerFunction } from "./function.ts";
import { FunctionLowering } from "./function-lowering.ts";
import type { Outside } from "./outside.ts";
import { sourceText } from "./source-text.ts";
import { Tables } from "./tables.ts";
import { Unlowerable } from "./unlowerable.ts";

/** Lowers the functions of the prelude. Function and global indexes of module-level functions are the same. */
export function lowerPrelude(modules: readonly Module[], names: Names): Prelude {
  const prelude = new PreludeOutside(names);
  for (const module of modules) prelude.declare(module);
  for (const module of modules) prelude.lower(module);
  const { tables, functions, exports } = prelude;
  return {
    semantics: SEMANTICS,
    functions,
    constants: tables.constants,
    intrinsics: tables.intrinsics,
    hosts: tables.hosts,
    exports,
  };
}

class PreludeOutside implements Outside {
  readonly tables = new Tables();
  readonly functions: FunctionCode[] = [];
  readonly exports: Record<string, number> = {};
  readonly #names: Names;
  readonly #indexes = new Map<Node, number>();
  #next = 0;

  constructor(names: Names) {
    this.#names = names;
  }

  declare(module: Module): void {
    for (const { node, name, isExported } of moduleFunctions(module)) {
      const index = this.reserve();
      this.#indexes.set(node, index);
      if (!isExported) continue;
      if (Object.hasOwn(this.exports, name)) throw new Error(`Two prelude functions are called ${name}`);
      this.exports[name] = index;
    }
  }

  lower(module: Module): void {
    for (const { node, name } of moduleFunctions(module)) {
      const frame = module.scopes.frames.get(node);
      const index = this.#indexes.get(node);
      if (frame === undefined || index === undefined) throw new Error(`No place for ${name}`);
      lowerFunction(new FunctionLowering(this, { module, frame, index }), node, name);
    }
  }

  resolve(module: Module, node: Node): Resolution | null {
    return this.#names.resolve(module, node);
  }

  slot({ declaration, name }: Global): number {
    const index = declaration.kind === "function" ? this.#indexes.get(declaration.node) : undefined;
    if (index === undefined) throw new Error(`${name} is not a function declaration of the prelude`);
    return index;
  }

  isWaited(): boolean {
    return false;
  }

  durable(_f: FunctionLowering, node: Node): number {
    throw new Unlowerable(node, "something durable in the prelude");
  }

  reserve(): number {
    return this.#next++;
  }

  define(index: number, code: FunctionCode): void {
    this.functions[index] = code;
  }

  initialise(_f: FunctionLowering, binding: Binding): void {
    throw new Unlowerable(binding.declaration, "a module-level variable of the prelude");
  }

  /** `$.call(f, self, ...args)`, `$.construct(f, ...args)`, and `$.name(...args)` for operations of the machine. */
  special(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register | null {
    const callee = erase(node.callee);
    if (callee.type !== "MemberExpression" || callee.computed) return null;
    const object = erase(callee.object);
    if (object.type !== "Identifier" || object.name !== "$") return null;
    const { name } = callee.property;
    if (name === "call") return lowerPreludeCall(f, node, into);
    if (name === "construct") return lowerPreludeConstruct(f, node, into);
    const { code } = f;
    const mark = code.mark();
    const passed = lowerArguments(f, node.arguments);
    if ("array" in passed) throw new Unlowerable(node, "spread arguments of an operation of the machine");
    code.release(mark);
    const result = into ?? code.take();
    code.emit("Host", result, this.tables.host(name), passed.first, passed.count);
    return result;
  }
}

function lowerPreludeCall(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register {
  const [target, receiver, ...rest] = node.arguments as Expression[];
  if (target === undefined || receiver === undefined) throw new Unlowerable(node);
  const mark = f.code.mark();
  const callee = f.operand(target, [receiver, ...rest]);
  const isNone = receiver.type === "Identifier" && receiver.name === "undefined";
  const self = isNone ? -1 : f.operand(receiver, rest);
  return emitCall(f, { callee, self, text: sourceText(target), mark }, rest, into);
}

function lowerPreludeConstruct(f: FunctionLowering, node: CallExpression, into: Register | undefined): Register {
  const [target, ...rest] = node.arguments as Expression[];
  if (target === undefined) throw new Unlowerable(node);
  const { code } = f;
  const mark = code.mark();
  const callee = f.operand(target, rest);
  const passed = lowerArguments(f, rest);
  code.release(mark);
  const result = into ?? code.take();
  code.text(f.outside.tables.string(sourceText(target)));
  if ("array" in passed) code.emit("NewSpread", result, callee, passed.array);
  else code.emit("New", result, callee, passed.first, passed.count);
  return result;
}

interface ModuleFunction {
  readonly node: Extract<Node, { type: "FunctionDeclaration" }>;
  readonly name: string;
  readonly isExported: boolean;
}

function* moduleFunctions(module: Module): Generator<ModuleFunction> {
  for (const statement of module.program.body) {
    const isExported = statement.type === "ExportNamedDeclaration";
    const node = isExported ? statement.declaration : statement;
    if (node?.type !== "FunctionDeclaration" || node.id === null || node.declare === true) continue;
    yield { node: node as ModuleFunction["node"], name: node.id.name, isExported };
  }
}
