import type { LiftedStep } from "@cairnjs/ir";
import { transformSync } from "oxc-transform";
import { moduleBindings } from "./module-bindings.ts";

/** What a transformed module exports beside its own, for this command alone. */
export const BINDINGS_EXPORT = "$cairnBindings";
export const STEPS_EXPORT = "$cairnSteps";

/** A step of a module, found again by the place of its arrow. */
export type StepPlace = Pick<LiftedStep, "captures" | "start" | "end">;

export function stepKey({ start, end }: StepPlace): string {
  return `${start}:${end}`;
}

/** JavaScript that Node can run, with a source map. */
export function stripTypes(path: string, source: string): string {
  const { code, map, errors } = transformSync(path, source, { sourcemap: true, sourceType: "module" });
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`);
  const json = Buffer.from(JSON.stringify(map ?? {})).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${json}\n`;
}

/**
 * The same for a module that belongs to a workflow: it also exports the arrows of its steps, as functions of what
 * they capture, and everything that stands at its top level, since actions need not be exported.
 */
export function transformWorkflowModule(path: string, source: string, steps: readonly StepPlace[]): string {
  // Appended only: lines and offsets of the source stay where they are.
  const code = stripTypes(path, `${source}\n;${stepTable(source, steps)}`);
  const names = moduleBindings(code);
  return `${code}export const ${BINDINGS_EXPORT} = () => [${names.join(", ")}];\n`;
}

function stepTable(source: string, steps: readonly StepPlace[]): string {
  const entries = new Map<string, string>();
  for (const place of steps) {
    const arrow = source.slice(place.start, place.end);
    entries.set(stepKey(place), `({ ${place.captures.join(", ")} }) => (${arrow})()`);
  }
  const lines = [...entries].map(([key, text]) => `"${key}": ${text}`);
  return `export const ${STEPS_EXPORT} = { ${lines.join(", ")} };`;
}
