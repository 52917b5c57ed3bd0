import type { BlockStatement } from "oxc-parser";
import type { FunctionLowering } from "../../function-lowering.ts";
import { withScope } from "../../scope.ts";

export function lowerBlockStatement(f: FunctionLowering, node: BlockStatement): void {
  withScope(f, f.module.scopes.scopes.get(node), node.body, () => {
    for (const statement of node.body) f.statement(statement);
  });
}
