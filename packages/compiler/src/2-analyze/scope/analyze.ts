import type { Program, Statement } from "oxc-parser";
import type { Frame, Scope } from "./binding.ts";
import { alwaysReady, declare, declareHoisted, declareLexical } from "./declare.ts";
import type { ModuleScopes } from "./module-scopes.ts";
import { ScopeWalk } from "./scope-walk.ts";

/** Finds what each identifier of a module means. Names of other modules are left to the linker. */
export function analyzeScopes(program: Program): ModuleScopes {
  const walk = new ScopeWalk();
  const { tree } = walk;
  const frame: Frame = { node: program, parent: null, kind: "module", thisBinding: null };
  tree.frames.set(program, frame);
  const module = tree.open("module", program, null, frame);
  const statements = program.body as Statement[];
  for (const statement of statements) declareImports(statement, module);
  declareHoisted(statements, module, null);
  declareLexical(statements, module, false);
  walk.visitAll(statements, module, program);
  return tree.result(module);
}

function declareImports(statement: Statement, module: Scope): void {
  if (statement.type !== "ImportDeclaration" || statement.importKind === "type") return;
  for (const specifier of statement.specifiers) {
    if (specifier.type === "ImportSpecifier" && specifier.importKind === "type") continue;
    declare(module, specifier.local.name, "import", specifier, alwaysReady);
  }
}
