import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Parts of the suite's harness that workflows can have; in `harness` under the same names, of our own making. */
const PROVIDED: ReadonlySet<string> = new Set([
  "arrayContains.js",
  "assertRelativeDateMs.js",
  "byteConversionValues.js",
  "compareArray.js",
  "compareIterator.js",
  "dateConstants.js",
  "decimalToHexString.js",
  "nans.js",
  "promiseHelper.js",
  "propertyHelper.js",
  "regExpUtils.js",
  "testTypedArray.js",
]);

export function isProvided(include: string): boolean {
  return PROVIDED.has(include);
}

/** What a test has without asking, by what it says in its text. */
const COMMON: readonly (readonly [use: RegExp, file: string])[] = [
  [/\bTest262Error\b/, "sta.js"],
  [/\$ERROR|\$DONOTEVALUATE/, "errors.js"],
  [/\$DONE/, "done.js"],
  [/\bassert\b/, "assert.js"],
  [/assert\.(?:s|notS)ameValue/, "assert-same.js"],
  [/assert\.throws/, "assert-throws.js"],
  [/assert\.compareArray/, "compareArray.js"],
  [/assert\.compareIterator/, "compareIterator.js"],
];

const ASSERTIONS: Readonly<Record<string, string>> = {
  sameValue: "checkSame",
  notSameValue: "checkNotSame",
  throws: "checkThrows",
  compareArray: "checkSameItems",
  compareIterator: "checkIterator",
};

/** `properties` says which of two files finds the attributes for `propertyHelper.js`. */
export interface HarnessChoice {
  readonly includes: readonly string[];
  readonly properties: "probed" | "described";
}

/**
 * The text in front of a body, with no more than the test uses: most of the time of a test was that of compiling
 * the whole harness.
 */
export function harnessText(test: string, { includes, properties }: HarnessChoice): string {
  const files = new Set<string>();
  const add = (file: string): void => {
    const chosen = file === "properties-probed.js" ? `properties-${properties}.js` : file;
    if (files.has(chosen)) return;
    files.add(chosen);
    for (const imported of harnessFile(chosen).imports) add(imported);
  };
  for (const [use, file] of COMMON) if (use.test(test)) add(file);
  for (const include of includes) add(include);
  return [...files].map((file) => harnessFile(file).text).join("\n");
}

/** `assert` is made in the body: a module-level function is frozen, so it could not carry the others. */
export function assertText(test: string): string {
  if (!/\bassert\b/.test(test)) return "";
  const used = Object.entries(ASSERTIONS).filter(([name]) => test.includes(`assert.${name}`));
  const members = used.map(([name, helper]) => `${name}: ${helper}`).join(", ");
  const whole = `const assert = Object.assign((isRight, message) => check(isRight, message), { ${members} });`;
  if (!test.includes("assert.throws.early")) return whole;
  return `${whole} assert.throws = Object.assign((...args) => checkThrows(...args), { early: checkEarly });`;
}

interface HarnessFile {
  readonly text: string;
  readonly imports: readonly string[];
}

const read = new Map<string, HarnessFile>();
/** Seen from the sources and from `dist`. */
const folder = fileURLToPath(new URL(import.meta.url.includes("/dist/") ? "../harness/" : "harness/", import.meta.url));

function harnessFile(name: string): HarnessFile {
  let file = read.get(name);
  if (file === undefined) {
    const source = readFileSync(`${folder}${name}`, "utf8");
    const imports = [...source.matchAll(/^import .* from "\.\/(.*)";\n/gm)].map((match) => match[1]!);
    file = { text: source.replaceAll(/^import .*\n/gm, ""), imports };
    read.set(name, file);
  }
  return file;
}
