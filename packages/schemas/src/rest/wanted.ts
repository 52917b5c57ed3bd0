import type { z } from "zod";

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

const FORMATS: Readonly<Record<string, string>> = {
  url: "a URL",
  uuid: "a UUID",
  datetime: "a time such as 2026-11-15T21:30:00.000Z",
};

/**
 * What is said of something that does not fit, where a schema says nothing itself: what is wanted, and not what was seen. To be given with
 * each parsing: one for all of Zod would be that of whoever else uses it in the process, too.
 */
export const whatIsWanted: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_format":
      return `must be ${FORMATS[issue.format] ?? `written as ${issue.format}`}`;
    case "too_small":
      return bound(issue.inclusive === false ? "more than" : "at least", issue.origin, issue.minimum);
    case "too_big":
      return bound(issue.inclusive === false ? "less than" : "at most", issue.origin, issue.maximum);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `does not take ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    case "invalid_union":
      return "options" in issue ? oneOf(issue.options as unknown[]) : anyOf(issue.errors);
    default:
      return "is not as it must be";
  }
};

function oneOf(values: readonly unknown[]): string {
  const said = values.map(String).join(", ");
  return values.length === 1 ? `must be ${said}` : `must be one of ${said}`;
}

function bound(how: string, origin: string, count: number | bigint): string {
  const things = { string: "character", array: "item", set: "item", object: "name", map: "name" }[origin];
  if (things === undefined) return `must be ${how} ${count}`;
  return `must have ${how} ${count} ${things}${count === 1 ? "" : "s"}`;
}

/** What each of the ways wants. */
function anyOf(ways: readonly (readonly z.core.$ZodIssue[])[]): string {
  const first = ways.flatMap(([issue]) => (issue === undefined ? [] : [issue]));
  const said = first.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")} ${message}`));
  return [...new Set(said)].join(", or ");
}
