import type { SwitchStatement } from "oxc-parser";
import { Label } from "../../code.ts";
import type { FunctionLowering } from "../../function-lowering.ts";
import { withScope } from "../../scope.ts";

/** All tests in order, wherever `default` stands; then the bodies, falling through. */
export function lowerSwitchStatement(f: FunctionLowering, node: SwitchStatement): void {
  const { code } = f;
  const tests = node.cases.map(({ test }) => test);
  const discriminant = f.operand(node.discriminant, tests);
  const end = new Label();
  const statements = node.cases.flatMap(({ consequent }) => consequent);
  withScope(f, f.module.scopes.scopes.get(node), statements, () => {
    const bodies = node.cases.map(() => new Label());
    for (const [index, test] of tests.entries()) {
      const body = bodies[index];
      if (test === null || body === undefined) continue;
      const mark = code.mark();
      const value = f.expression(test);
      code.release(mark);
      const matches = code.take();
      code.emit("StrictEqual", matches, discriminant, value);
      code.emit("JumpTrue", matches, body);
      code.release(mark);
    }
    code.emit("Jump", bodies[tests.indexOf(null)] ?? end);
    const target = { labels: [], breakLabel: end, continueLabel: null, isPlain: true };
    f.control.within(target, () => {
      for (const [index, { consequent }] of node.cases.entries()) {
        const body = bodies[index];
        if (body !== undefined) code.bind(body);
        for (const statement of consequent) f.statement(statement);
      }
    });
  });
  code.bind(end);
}
