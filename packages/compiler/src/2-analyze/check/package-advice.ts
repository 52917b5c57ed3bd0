import type { Node } from "oxc-parser";
import { resolutionOf, type CheckContext } from "./context.ts";
import { bare } from "./shape.ts";

/**
 * What to write instead of something made with a package, where a workflow has its own way; null for other packages.
 * `name` is the constant that holds it, or the import itself.
 */
export function packageAdvice(node: Node, name: string, context: CheckContext): string | null {
  const root = foreignRoot(node, context);
  const specifier = root === null ? undefined : context.module.imports.get(root)?.specifier;
  const owner = packageName(specifier ?? "");
  if (SCHEMAS.has(owner)) {
    const given = root === name ? "Schema" : name;
    const example = `\`workflow("name", { input: ${given} }, async (input) => …)\``;
    return `give the schema to the workflow, which checks its input by it: ${example}; actions may use ${name} freely`;
  }
  if (LOGGERS.has(owner)) {
    return `write \`console.log(…)\`, which a run logs exactly once; actions may use ${name} freely`;
  }
  return null;
}

/** `zod` of `zod/v4`. */
function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** `z` of `z.object({ … }).strict()`, if it is a name of which the compiler knows nothing. */
export function foreignRoot(node: Node, context: CheckContext): string | null {
  let at = bare(node);
  while (at.type === "MemberExpression" || at.type === "CallExpression" || at.type === "NewExpression") {
    at = bare(at.type === "MemberExpression" ? at.object : at.callee);
  }
  return at.type === "Identifier" && resolutionOf(at, context)?.kind === "unknown" ? at.name : null;
}

/** Those whose schemas follow Standard Schema. */
const SCHEMAS: ReadonlySet<string> = new Set(["zod", "valibot", "arktype", "yup", "joi", "effect"]);
const LOGGERS: ReadonlySet<string> = new Set(
  "pino winston bunyan loglevel consola debug log4js tslog signale roarr @logtape/logtape".split(" "),
);
