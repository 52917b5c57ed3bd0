import type { VariableDeclaration, VariableDeclarator } from "oxc-parser";
import { writesLast } from "../../expression/writes-last.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { assignPattern, expressionSource } from "../../pattern.ts";
import { directRegister, prepareTarget, writeTarget } from "../../target.ts";
import { Unlowerable } from "../../unlowerable.ts";

export function lowerVariableDeclaration(f: FunctionLowering, node: VariableDeclaration): void {
  if (node.declare === true) return;
  if (node.kind === "using" || node.kind === "await using") throw new Unlowerable(node, node.kind);
  for (const declarator of node.declarations) {
    const mark = f.code.mark();
    lowerDeclarator(f, declarator, node.kind === "var");
    f.code.release(mark);
  }
}

function lowerDeclarator(f: FunctionLowering, { id, init }: VariableDeclarator, isVar: boolean): void {
  const { code } = f;
  if (id.type !== "Identifier") {
    if (init === null) throw new Unlowerable(id);
    assignPattern(f, id, f.operand(init, [id]), expressionSource(init));
    return;
  }
  if (init === null && isVar) return;
  const target = prepareTarget(f, id, []);
  const direct = directRegister(f, target, init === null || writesLast(init));
  if (init === null) {
    const value = direct ?? code.take();
    code.emit("Undefined", value);
    if (value !== direct) writeTarget(f, target, value);
    return;
  }
  const value = f.named(init, id.name, direct);
  if (value !== direct) writeTarget(f, target, value);
}
