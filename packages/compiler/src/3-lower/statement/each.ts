import type { ForInStatement, ForOfStatement } from "oxc-parser";
import type { Binding } from "../../2-analyze/scope/binding.ts";
import { Label } from "../code.ts";
import type { FunctionLowering } from "../function-lowering.ts";
import { assignPattern, namedSource } from "../pattern.ts";
import { enterUninitialised, withScope } from "../scope.ts";
import { iterableText } from "../source-text.ts";
import { Unlowerable } from "../unlowerable.ts";

/** A loop over what an iterator or the keys of an object give. */
export function lowerEach(
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
