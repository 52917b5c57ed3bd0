import type { Node } from "oxc-parser";
import { erase } from "../1-parse/erase.ts";
import type { LinkedWorkflow } from "../2-analyze/link/reach.ts";
import type { Global } from "../2-analyze/resolution.ts";
import { lowerConstructor } from "./class.ts";
import { inlined } from "./expression/resolved-name.ts";
import { loadLiteral } from "./expression/literal-value.ts";
import { finish } from "./function.ts";
import { FunctionLowering } from "./function-lowering.ts";
import { initialOrder } from "./initial-order.ts";
import { assignPattern, expressionSource } from "./pattern.ts";
import type { ProgramOutside } from "./program-outside.ts";
import { Unlowerable } from "./unlowerable.ts";

/**
 * The function that sets the globals: helpers first, then constants, enums and classes. Returns its index, -1 when
 * there is nothing to set.
 */
export function lowerInitialiser(outside: ProgramOutside, workflow: LinkedWorkflow): number {
  const globals = workflow.units.flatMap(({ global }) => (global === null ? [] : [global]));
  const helpers = globals.filter((global) => global.what === "helper" && isUsed(outside, workflow, global));
  const made = globals.filter((global) => global.what !== "helper" && inlined(global) === undefined);
  const values = initialOrder(made, workflow.module, outside.linker);
  if (helpers.length === 0 && values.length === 0) return -1;
  const frame = workflow.module.scopes.module.frame;
  const f = new FunctionLowering(outside, { module: workflow.module, frame });
  for (const helper of helpers) {
    const mark = f.code.mark();
    const closure = f.code.take();
    f.code.emit("Function", closure, outside.helpers.get(helper) ?? -1);
    f.code.emit("SetGlobal", outside.slot(helper), closure);
    f.code.release(mark);
  }
  const done = new Set<Node>();
  for (const global of values) {
    f.module = global.module;
    const mark = f.code.mark();
    lowerValue(f, outside, global, done);
    f.code.release(mark);
  }
  f.module = workflow.module;
  f.code.spans.length = 0;
  finish(f, { parameters: 0, rest: false, length: 0, name: "", async: false, kind: "function" });
  return f.index;
}

/** The body itself is a global only if something calls it as a helper. */
function isUsed(outside: ProgramOutside, workflow: LinkedWorkflow, global: Global): boolean {
  return global !== workflow.bodyGlobal || outside.hasSlot(global);
}

function lowerValue(f: FunctionLowering, outside: ProgramOutside, global: Global, done: Set<Node>): void {
  const { code } = f;
  const { declaration } = global;
  switch (declaration.kind) {
    case "class": {
      const value = code.take();
      code.emit("Class", value, lowerClass(outside, global));
      code.emit("SetGlobal", outside.slot(global), value);
      break;
    }
    case "enum":
      lowerEnum(f, outside, global);
      break;
    case "constant": {
      const { init, pattern } = declaration;
      if (done.has(init)) return;
      done.add(init);
      if (pattern === null || pattern.type === "Identifier") {
        code.emit("SetGlobal", outside.slot(global), f.named(init, global.name));
      } else {
        assignPattern(f, pattern, f.operand(init, [pattern]), expressionSource(init));
      }
      break;
    }
    case "function":
      throw new Error("A helper among the values");
  }
}

function lowerClass(outside: ProgramOutside, global: Global): number {
  const { declaration, module, name } = global;
  if (declaration.kind !== "class") throw new Error(`${name} is not a class`);
  const { superClass } = declaration.node;
  const parent = superClass === null ? null : outside.resolve(module, erase(superClass));
  const constructorFunction = lowerConstructor(outside, module, declaration.node, name);
  const add = (entry: { global: number } | { intrinsic: string }): number =>
    outside.classes.push({ name, parent: entry, constructorFunction }) - 1;
  if (parent?.kind === "global") return add({ global: outside.slot(parent.global) });
  if (parent?.kind === "intrinsic") return add({ intrinsic: parent.path });
  if (parent?.kind === "primitive") return add({ intrinsic: `cairn.${parent.name}` });
  throw new Unlowerable(declaration.node, "a class that extends no error class");
}

/** As TypeScript's own output: names to values, and numbers back to names. */
function lowerEnum(f: FunctionLowering, outside: ProgramOutside, global: Global): void {
  const { code } = f;
  const object = code.take();
  code.emit("Object", object);
  for (const [name, value] of outside.linker.membersOf(global)) {
    if (value === null) throw new Unlowerable(global.module.program, `the enum ${global.name}`);
    const mark = code.mark();
    code.emit("Define", object, outside.tables.string(name), loadLiteral(f, value));
    if (typeof value === "number") {
      code.emit("Define", object, outside.tables.string(String(value)), loadLiteral(f, name));
    }
    code.release(mark);
  }
  code.emit("SetGlobal", outside.slot(global), object);
}
