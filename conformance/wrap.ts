import { assertText, harnessText, isProvided } from "./harness.ts";
import type { SuiteTest } from "./suite.ts";

/** How a test's text is made part of a body. Machine and Node.js always get the same. */
export interface Wrapping {
  /**
   * How property attributes are checked: by writing and deleting, or by the descriptor alone. Intrinsics are frozen
   * in workflows, so a test of theirs ends at the first write.
   */
  readonly properties: "probed" | "described";
  /**
   * Names that the test uses and nobody declares, which the compiler rejects. Declared behind the test, by `let`,
   * they are in their dead zone while it runs: a ReferenceError, which is what such tests expect.
   */
  readonly undeclared: readonly string[];
}

export const USUAL: Wrapping = { properties: "probed", undeclared: [] };

/** Why a test cannot become a workflow body, or null. */
export function skipReason({ metadata: { flags, includes, negative } }: SuiteTest): string | null {
  if (flags.has("noStrict")) return "sloppy mode only";
  if (flags.has("raw")) return "must be run as it is";
  if (flags.has("module") && (!isEarly(negative) || negative?.phase === "resolution")) return "a whole module";
  const missing = includes.find((name) => !isProvided(name));
  return missing === undefined ? null : `needs ${missing}`;
}

/** The test must not even compile. */
export function isEarly(negative: SuiteTest["metadata"]["negative"]): boolean {
  return negative !== null && negative.phase !== "runtime";
}

/** The test as the body of a workflow; one of a module's early errors as a module that has a workflow. */
export function workflowText(test: SuiteTest, wrapping: Wrapping): string {
  const head = 'import { workflow } from "cairnjs";\n';
  const { text, metadata } = test;
  if (metadata.flags.has("module")) return `${head}${text}\nexport const $w = workflow("t", async () => {});\n`;
  const body = bodyText(test, wrapping);
  return `${head}${harnessOf(test, wrapping)}\nexport default workflow("conformance", async () => {\n${body}\n});\n`;
}

/** The very same harness and body for Node.js itself: an expression whose value is the body's promise. */
export function nativeText(test: SuiteTest, wrapping: Wrapping): string {
  const harness = harnessOf(test, wrapping).replaceAll(/^export /gm, "");
  return `(() => {"use strict";\n${harness}\nreturn (async () => {\n${bodyText(test, wrapping)}\n})();\n})()`;
}

function harnessOf({ text, metadata: { includes, flags } }: SuiteTest, { properties }: Wrapping): string {
  return harnessText(flags.has("async") ? `${text} $DONE` : text, { includes, properties });
}

function bodyText({ text, metadata: { flags } }: SuiteTest, { undeclared }: Wrapping): string {
  const inner = undeclared.length === 0 ? text : `await (async () => {\n${text}\n})();`;
  const body = flags.has("async")
    ? `const $done = newDone(); const $DONE = $done.$DONE;\n${inner}\n;await $done.promise;`
    : inner;
  const behind = undeclared.length === 0 ? "" : `\nlet ${undeclared.join(", ")};`;
  return `${assertText(text)}\n${body}${behind}`;
}
