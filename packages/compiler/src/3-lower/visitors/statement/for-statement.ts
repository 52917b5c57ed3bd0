import type { ForStatement, Node } from "oxc-parser";
import { children } from "../../../1-parse/children.ts";
import { isTypeOnly } from "../../../1-parse/erase.ts";
import type { Binding } from "../../../2-analyze/scope/binding.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { withScope } from "../../scope.ts";
import { lowerIterations } from "../../statement/iterations.ts";

/**
 * Only variables of the head that closures capture need a copy for each iteration; the others are never seen by two.
 */
export function lowerForStatement(f: FunctionLowering, node: ForStatement): void {
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
