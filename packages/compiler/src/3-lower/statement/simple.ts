import type {
  BlockStatement,
  BreakStatement,
  ContinueStatement,
  ExpressionStatement,
  IfStatement,
  LabeledStatement,
  Node,
  ReturnStatement,
  Statement,
  ThrowStatement,
} from "oxc-parser";
import { Label } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { withScope } from "../scope.ts";
import { Unlowerable } from "../unlowerable.ts";

export function lowerBlock(f: FunctionLowering, node: BlockStatement): void {
  withScope(f, f.module.scopes.scopes.get(node), node.body, () => {
    for (const statement of node.body) f.statement(statement);
  });
}

export function lowerExpressionStatement(f: FunctionLowering, node: ExpressionStatement): void {
  f.effect(node.expression);
}

/** A chain of `else if` is followed without recursion, as people write long ones. */
export function lowerIf(f: FunctionLowering, first: IfStatement): void {
  const { code } = f;
  const end = new Label();
  for (let node: Statement | null = first; node !== null;) {
    if (node.type !== "IfStatement") {
      f.statement(node);
      break;
    }
    const mark = code.mark();
    const otherwise = new Label();
    code.at(node.start);
    f.condition(node.test, otherwise, false);
    f.statement(node.consequent);
    code.release(mark);
    if (node.alternate !== null) code.emit("Jump", end);
    code.bind(otherwise);
    node = node.alternate;
  }
  code.bind(end);
}

export function lowerReturn(f: FunctionLowering, node: ReturnStatement): void {
  if (f.frame.kind === "constructor") returnThis(f, node);
  else if (node.argument === null) f.control.return(null);
  else f.control.return(f.expression(node.argument));
}

/** The result of a constructor is the object that `super(…)` has made. */
export function returnThis(f: FunctionLowering, node: Node): void {
  if (node.type === "ReturnStatement" && node.argument !== null) throw new Unlowerable(node);
  const self = f.code.take();
  f.code.emit("This", self);
  f.control.return(self);
}

export function lowerThrow(f: FunctionLowering, node: ThrowStatement): void {
  f.code.emit("Throw", f.expression(node.argument));
}

export function lowerBreak(f: FunctionLowering, node: BreakStatement): void {
  f.control.break(node.label?.name ?? null);
}

export function lowerContinue(f: FunctionLowering, node: ContinueStatement): void {
  f.control.continue(node.label?.name ?? null);
}

export function lowerLabeled(f: FunctionLowering, node: LabeledStatement): void {
  f.control.label(node.label.name);
  if (isLoop(node.body) || node.body.type === "LabeledStatement") {
    f.statement(node.body);
    return;
  }
  const end = new Label();
  const target = { labels: f.control.takeLabels(), breakLabel: end, continueLabel: null, isPlain: false };
  f.control.within(target, () => f.statement(node.body));
  f.code.bind(end);
}

function isLoop({ type }: Statement): boolean {
  switch (type) {
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return true;
    default:
      return false;
  }
}

/** Declarations of functions ran at the start of their scope; those of types never run. */
export function lowerNothing(): void {
  return undefined;
}
