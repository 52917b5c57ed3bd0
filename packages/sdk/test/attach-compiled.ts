import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { compile, type CompileResult, renderDiagnostic } from "@cairnjs/compiler";
import { declaredWorkflow } from "../src/declared.ts";
import { freezeCaptures } from "../src/frozen-captures.ts";

type LiftedArrow = (captures: unknown) => Promise<unknown>;

/** What the compiler makes of a file and the modules beside it. */
export function compileFile(path: string): CompileResult {
  const result = compile(path, {
    resolve: (specifier, importer) => (specifier.startsWith(".") ? resolve(dirname(importer), specifier) : null),
    read: (file) => readFileSync(file, "utf8"),
  });
  const errors = result.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    throw new Error(errors.map((each) => renderDiagnostic(each, readFileSync(each.file, "utf8"))).join("\n\n"));
  }
  return result;
}

/** Gives the workflows that a module has just declared what the compiler makes of them. */
export function attachCompiled(path: string, arrows: Readonly<Record<string, LiftedArrow>>): void {
  for (const { name, program, hash, version } of compileFile(path).workflows) {
    const steps = new Map<string, LiftedArrow>();
    for (const { action, start, end } of program.steps) {
      const arrow = arrows[`${start}:${end}`];
      if (arrow !== undefined) steps.set(action, frozen(arrow));
    }
    const input = program.functions[program.entry]!.parameters === 0 ? "none" : "optional";
    const compiled = { program, hash, version, inputSchema: null, input, steps, module: path };
    Object.defineProperty(declaredWorkflow(name), "compiled", { value: compiled });
  }
}

function frozen(arrow: LiftedArrow): LiftedArrow {
  return async (given) => {
    const { captures, verify } = freezeCaptures(given);
    const result = await arrow(captures);
    verify();
    return result;
  };
}
