import type {
  DoWhileStatement,
  Expression,
  ForInStatement,
  ForOfStatement,
  ForStatement,
  Node,
  Statement,
  WhileStatement,
} from "oxc-parser";
import { children } from "../../1-parse/children.ts";
import { isTypeOnly } from "../../1-parse/erase.ts";
import type { Binding } from "../../2-analyze/scope/binding.ts";
import { Label } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { assignPattern, namedSource } from "../pattern.ts";
import { enterUninitialised, withScope } from "../scope.ts";
import { iterableText } from "../source-text.ts";
import { Unlowerable } from "../unlowerable.ts";

/**
 * The test stands below the body, so that an iteration has one jump. Only variables of the head that closures
 * capture need a copy for each iteration; the others are never seen by two.
 */
export function lowerFor(f: FunctionLowering, node: ForStatement): void {
  const { code } = f;
  const labels = f.control.takeLabels();
  const scope = f.module.scopes.scopes.get(node);
  f.literals.around(node, () =>
    withScope(f, scope, [], () => {
      if (node.init?.type === "VariableDeclaration") f.statement(node.init);
      else if (node.init !== null) f.effect(node.init);
      const copied = perIteration(node, [...(scope?.bindings.values() ?? [])]);
      const copy = (): void => {
        for (const binding of copied) {
          const cell = f.variables.capture(binding).index;
          code.emit("CopyCell", cell, cell);
        }
      };
      if (node.init !== null && containsFunction(node.init)) copy();
      lowerIterations(f, node, {
        labels,
        test: node.test,
        testFirst: true,
        next: () => {
          copy();
          if (node.update !== null) f.effect(node.update);
        },
      });
    }),
  );
}

function perIteration(node: ForStatement, bindings: readonly Binding[]): Binding[] {
  if (node.init?.type !== "VariableDeclaration" || node.init.kind !== "let") return [];
  return bindings.filter((binding) => binding.captured);
}

function containsFunction(node: Node): boolean {
  if (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression") return true;
  return !isTypeOnly(node) && children(node).some(containsFunction);
}

export function lowerWhile(f: FunctionLowering, node: WhileStatement): void {
  const labels = f.control.takeLabels();
  f.literals.around(node, () => lowerIterations(f, node, { labels, test: node.test, testFirst: true, next: null }));
}

export function lowerDoWhile(f: FunctionLowering, node: DoWhileStatement): void {
  const labels = f.control.takeLabels();
  f.literals.around(node, () => lowerIterations(f, node, { labels, test: node.test, testFirst: false, next: null }));
}

interface Iterations {
  readonly labels: readonly string[];
  readonly test: Expression | null;
  readonly testFirst: boolean;
  readonly next: (() => void) | null;
}

function lowerIterations(
  f: FunctionLowering,
  node: { readonly body: Statement },
  { labels, test, testFirst, next }: Iterations,
): void {
  const { code } = f;
  const top = new Label();
  const again = new Label();
  const testing = new Label();
  const end = new Label();
  if (testFirst && test !== null) code.emit("Jump", testing);
  code.bind(top);
  f.control.within({ labels, breakLabel: end, continueLabel: again, isPlain: true }, () => f.statement(node.body));
  code.bind(again);
  next?.();
  code.bind(testing);
  if (test === null) code.emit("Jump", top);
  else f.condition(test, top, true);
  code.bind(end);
}

export function lowerForOf(f: FunctionLowering, node: ForOfStatement): void {
  if (node.await) throw new Unlowerable(node, "for await");
  lowerEach(f, node, "Iterate", "Next");
}

export function lowerForIn(f: FunctionLowering, node: ForInStatement): void {
  lowerEach(f, node, "ForIn", "NextKey");
}

function lowerEach(
  f: FunctionLowering,
  node: ForOfStatement | ForInStatement,
  start: "Iterate" | "ForIn",
  next: "Next" | "NextKey",
): void {
  const { code, outside } = f;
  const labels = f.control.takeLabels();
  const iterator = code.take();
  f.literals.around(node, () =>
    withScope(f, f.module.scopes.scopes.get(node), [], () => {
      const mark = code.mark();
      const iterable = f.expression(node.right);
      if (start === "Iterate") code.text(outside.tables.string(iterableText(node.right)));
      code.emit(start, iterator, iterable);
      code.release(mark);
      const again = new Label();
      const end = new Label();
      code.bind(again);
      lowerHead(f, node, (into) => code.emit(next, into, iterator, end));
      f.control.within({ labels, breakLabel: end, continueLabel: again, isPlain: true }, () => f.statement(node.body));
      code.emit("Jump", again);
      code.bind(end);
    }),
  );
}

/** Fetches the next value and gives it to the variable, pattern or property in the head. */
function lowerHead(f: FunctionLowering, node: ForOfStatement | ForInStatement, fetch: (into: number) => void): void {
  const { code } = f;
  const left = node.left.type === "VariableDeclaration" ? node.left.declarations[0]?.id : node.left;
  if (left === undefined) throw new Unlowerable(node.left);
  if (node.left.type === "VariableDeclaration" && node.left.kind.endsWith("using")) throw new Unlowerable(node.left);
  const mark = code.mark();
  const binding = left.type === "Identifier" ? f.module.scopes.references.get(left)?.binding : null;
  const isFresh = node.left.type === "VariableDeclaration" && binding?.checked === false;
  const direct = isFresh ? f.variables.plain(binding) : undefined;
  const value = direct ?? code.take();
  fetch(value);
  for (const own of f.module.scopes.scopes.get(node)?.bindings.values() ?? []) renew(f, own);
  if (direct === undefined) assignPattern(f, left, value, namedSource(".for"));
  code.release(mark);
}

/** Each iteration has variables of its own, not yet initialised for closures that the pattern's defaults make. */
function renew(f: FunctionLowering, binding: Binding): void {
  if (binding.checked) enterUninitialised(f, binding, f.variables.capture(binding).index);
}
