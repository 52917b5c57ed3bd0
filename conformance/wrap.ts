import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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

/** The harness that a test needs, of our own making: names of files in `harness`. */
const ALWAYS = ["sta", "assert"];
const PROVIDED: Readonly<Record<string, readonly string[]>> = {
  "arrayContains.js": ["arrayContains"],
  "assertRelativeDateMs.js": ["assertRelativeDateMs"],
  "byteConversionValues.js": ["byteConversionValues"],
  "compareArray.js": [],
  "compareIterator.js": [],
  "dateConstants.js": ["dateConstants"],
  "decimalToHexString.js": ["decimalToHexString"],
  "nans.js": ["nans"],
  "promiseHelper.js": ["promiseHelper"],
  "propertyHelper.js": ["propertyHelper"],
  "regExpUtils.js": ["regExpUtils"],
  "testTypedArray.js": ["testTypedArray"],
};

/** Why a test cannot become a workflow body, or null. */
export function skipReason({ metadata: { flags, includes, negative } }: SuiteTest): string | null {
  if (flags.has("noStrict")) return "sloppy mode only";
  if (flags.has("raw")) return "must be run as it is";
  if (flags.has("module") && (!isEarly(negative) || negative?.phase === "resolution")) return "a whole module";
  const missing = includes.find((name) => PROVIDED[name] === undefined);
  return missing === undefined ? null : `needs ${missing}`;
}

/** The test must not even compile. */
export function isEarly(negative: SuiteTest["metadata"]["negative"]): boolean {
  return negative !== null && negative.phase !== "runtime";
}

/** The test as the body of a workflow; one of a module's early errors as a module that has a workflow. */
export function workflowText(test: SuiteTest, wrapping: Wrapping): string {
  const head = 'import { workflow } from "cairnjs";\n';
  if (test.metadata.flags.has("module"))
    return `${head}${test.text}\nexport const $w = workflow("t", async () => {});\n`;
  return `${head}${harnessText(test, wrapping)}\nexport default workflow("conformance", async () => {\n${bodyText(test, wrapping)}\n});\n`;
}

/** The very same harness and body for Node.js itself: an expression whose value is the body's promise. */
export function nativeText(test: SuiteTest, wrapping: Wrapping): string {
  const harness = harnessText(test, wrapping).replaceAll(/^export /gm, "");
  return `(() => {"use strict";\n${harness}\nreturn (async () => {\n${bodyText(test, wrapping)}\n})();\n})()`;
}

function bodyText({ text, metadata: { flags } }: SuiteTest, { undeclared }: Wrapping): string {
  const inner = undeclared.length === 0 ? text : `await (async () => {\n${text}\n})();`;
  const assert = "const assert = newAssert();";
  const body = flags.has("async")
    ? `${assert} const $done = newDone(); const $DONE = $done.$DONE;\n${inner}\n;await $done.promise;`
    : `${assert}\n${inner}`;
  return undeclared.length === 0 ? body : `${body}\nlet ${undeclared.join(", ")};`;
}

function harnessText({ metadata: { includes } }: SuiteTest, { properties }: Wrapping): string {
  const names = [...ALWAYS, ...includes.flatMap((name) => PROVIDED[name] ?? [])];
  if (includes.includes("propertyHelper.js")) names.push(`properties-${properties}`);
  const key = names.join();
  let text = harnesses.get(key);
  if (text === undefined) {
    text = names.map(readHarness).join("\n");
    harnesses.set(key, text);
  }
  return text;
}

const harnesses = new Map<string, string>();
/** Seen from the sources and from `dist`. */
const folder = fileURLToPath(new URL(import.meta.url.includes("/dist/") ? "../harness/" : "harness/", import.meta.url));

function readHarness(name: string): string {
  return readFileSync(`${folder}${name}.js`, "utf8").replaceAll(/^import .*\n/gm, "");
}
