import type { CatchClause, TryStatement } from "oxc-parser";
import { Label, type Register } from "../../code.ts";
import type { Finally } from "../../control.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { assignPattern, namedSource } from "../../pattern.ts";
import { withScope } from "../../scope.ts";

export function lowerTryStatement(f: FunctionLowering, node: TryStatement): void {
  const { finalizer } = node;
  if (finalizer === null) {
    lowerGuarded(f, node);
    return;
  }
  const { code, control } = f;
  const kind = code.take();
  const value = code.take();
  const entry: Finally = { kind, value, entry: new Label(), exits: [], returns: false };
  code.emit("Undefined", value);
  const start = code.position;
  control.within(entry, () => lowerGuarded(f, node));
  control.endGuarded(entry);
  handle(f, start, value);
  control.beginThrown(entry);
  code.bind(entry.entry);
  f.statement(finalizer);
  control.dispatch(entry);
}

function lowerGuarded(f: FunctionLowering, node: TryStatement): void {
  const { code } = f;
  const { handler } = node;
  if (handler === null) {
    f.statement(node.block);
    return;
  }
  const thrown = code.take();
  const end = new Label();
  const start = code.position;
  f.statement(node.block);
  code.emit("Jump", end);
  handle(f, start, thrown);
  lowerCatch(f, handler, thrown);
  code.bind(end);
}

function lowerCatch(f: FunctionLowering, node: CatchClause, thrown: Register): void {
  const scope = f.module.scopes.scopes.get(node);
  withScope(f, scope, [], () => {
    const mark = f.code.mark();
    if (node.param !== null) assignPattern(f, node.param, thrown, namedSource(".catch"));
    f.code.release(mark);
    f.statement(node.body);
  });
}

/** From here on runs what an error thrown since `start` leads to. Inner handlers have been added before. */
function handle(f: FunctionLowering, start: number, register: Register): void {
  const { code } = f;
  const end = code.position;
  if (end > start) code.handlers.push({ start, end, target: end, register });
}
