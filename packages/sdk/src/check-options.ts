import { nearestName } from "./did-you-mean.ts";
import { durationMs } from "./options.ts";
import { shown } from "./shown.ts";
import { isStandardSchema } from "./standard-schema.ts";

/** What to give instead, where the value cannot be right. */
type Check = (value: unknown) => string | undefined;
type Checks = Readonly<Record<string, Check | Nested>>;

interface Nested {
  readonly nested: Checks;
  /** What to give instead of something that is no object. */
  readonly instead: (given: unknown) => string;
}

const ATTEMPT: Checks = {
  retry: {
    nested: {
      attempts: when(isCount, "a whole number of at least 1: how often the action is tried in all"),
      baseMs: when(isTime, "milliseconds, 0 or more"),
      capMs: when(isTime, "milliseconds, 0 or more"),
    },
    instead: (given) => `an object: \`retry: { attempts: ${isCount(given) ? String(given) : 3} }\``,
  },
  timeout: when(isDuration, 'milliseconds, 0 or more, or a duration such as "90 s" or "2 days"'),
  nonRetryable: when(isErrorList, "an array of error classes or of their names"),
};

const TAGS: Checks = { tags: when(isTextList, "an array of strings") };

const OPTIONS = {
  action: {
    ...ATTEMPT,
    input: when(isArgumentSchemas, "a schema of the argument (Zod, Valibot, ArkType…), or an array, one per argument"),
    output: when(isStandardSchema, "a schema of the result (Zod, Valibot, ArkType…)"),
    needs: when(isTable, "an object of depends(provider)"),
    use: when(isFunctionList, "an array of middleware()"),
    concurrency: when(
      (value) => isLimit(value, ["limit", "key"]),
      "`{ limit: 5 }`, and a function as `key` if each key has so many: `{ limit: 5, key: (input) => input.tenant }`",
    ),
    rate: when(
      (value) => isLimit(value, ["limit", "per", "key"]) && durationMs((value as { per?: unknown }).per) >= 1,
      '`{ limit: 100, per: "1 minute" }`, and a function as `key` if each key has so many',
    ),
    isolate: when((value) => value === "thread" || value === "none", '"thread" or "none"'),
  },
  workflow: {
    ...TAGS,
    version: when(isText, "a string that is not empty"),
    input: when(isStandardSchema, "a schema of the input (Zod, Valibot, ArkType…)"),
  },
  with: { ...ATTEMPT, id: when(isText, "a string that is not empty") },
  start: { ...ATTEMPT, ...TAGS },
} as const satisfies Record<string, Checks>;

/** Mistakes in options are told where they are made: when something is declared, or called with options. */
export function checkOptions(of: keyof typeof OPTIONS, name: string, options: unknown): void {
  const subject = of === "action" || of === "workflow" ? `${of} "${name}"` : `call of "${name}" by ${of}()`;
  checkEach(subject, "", OPTIONS[of], options, () => "an object");
}

function checkEach(
  subject: string,
  prefix: string,
  checks: Checks,
  options: unknown,
  instead: Nested["instead"],
): void {
  if (!isTable(options)) {
    const what = prefix === "" ? "What is given as options" : `The option ${prefix.slice(0, -1)}`;
    throw new TypeError(`${what} of the ${subject} is ${shown(options)}. Give ${instead(options)}.`);
  }
  for (const [key, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined) throw new TypeError(unknownOption(subject, prefix, key, Object.keys(checks)));
    if (value === undefined) continue;
    if (typeof check === "object") checkEach(subject, `${prefix}${key}.`, check.nested, value, check.instead);
    else {
      const other = check(value);
      if (other === undefined) continue;
      throw new RangeError(`The option ${prefix}${key} of the ${subject} is ${shown(value)}. Give ${other}.`);
    }
  }
}

function unknownOption(subject: string, prefix: string, key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known);
  const names = known.map((name) => `${prefix}${name}`).join(", ");
  const hint = nearest === undefined ? `There are ${names}.` : `Did you mean ${prefix}${nearest}?`;
  return `The ${subject} has no option ${prefix}${key}. ${hint}`;
}

function when(isRight: (value: unknown) => boolean, instead: string): Check {
  return (value) => (isRight(value) ? undefined : instead);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

const LIMIT_MAX = 1_000_000;

function isLimit(value: unknown, names: readonly string[]): boolean {
  if (!isTable(value) || Object.keys(value).some((name) => !names.includes(name))) return false;
  const { limit, key } = value as { limit?: unknown; key?: unknown };
  return isCount(limit) && Number(limit) <= LIMIT_MAX && (key === undefined || typeof key === "function");
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

function isDuration(value: unknown): boolean {
  return durationMs(value) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isErrorList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string" || isErrorClass(each));
}

function isErrorClass(value: unknown): boolean {
  return typeof value === "function" && (value === Error || (value.prototype as unknown) instanceof Error);
}

function isFunctionList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "function");
}

function isArgumentSchemas(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(isStandardSchema) : isStandardSchema(value);
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
