import { InvalidInput, InvalidOutput } from "./errors.ts";
import { argumentIssueText, type Issue, issuesText, issueText } from "./issues.ts";
import type { ArgumentSchemas, SchemaIssue, StandardSchema } from "./standard-schema.ts";

/**
 * The arguments as the schemas make them. All problems of all arguments are reported at once; their paths begin with
 * the argument's index, unless there is a schema of the single argument alone.
 */
export async function argumentsBySchema(
  action: string,
  schemas: ArgumentSchemas,
  args: readonly unknown[],
): Promise<readonly unknown[]> {
  const list = isList(schemas) ? schemas : [schemas];
  const checked = await Promise.all(list.map((schema, index) => checkBySchema(schema, args[index])));
  const issues = checked.flatMap((each, index) =>
    each.issues.map(({ path, message }) => ({ path: [index, ...path], message })),
  );
  if (args.length > list.length) {
    issues.push({ path: [list.length], message: `there is no such argument; it takes ${list.length}` });
  }
  if (issues.length === 0) return checked.map(({ value }) => value);
  if (isList(schemas) || args.length > 1) {
    throw new InvalidInput(issuesText(action, issues, argumentIssueText), issues);
  }
  const inside = issues.map(({ path, message }) => ({ path: path.slice(1), message }));
  throw new InvalidInput(issuesText(action, inside, issueText), inside);
}

/** A schema of ArkType is a function, and has a length too. */
function isList(schemas: ArgumentSchemas): schemas is readonly [StandardSchema, ...StandardSchema[]] {
  return Array.isArray(schemas);
}

export async function inputBySchema(workflow: string, schema: StandardSchema, input: unknown): Promise<unknown> {
  const { value, issues } = await checkBySchema(schema, input);
  if (issues.length > 0) throw new InvalidInput(issuesText(`${workflow}: input`, issues, issueText), issues);
  return value;
}

export async function outputBySchema(action: string, schema: StandardSchema, output: unknown): Promise<unknown> {
  const { value, issues } = await checkBySchema(schema, output);
  if (issues.length > 0) throw new InvalidOutput(issuesText(`${action}: result`, issues, issueText), issues);
  return value;
}

async function checkBySchema(
  schema: StandardSchema,
  given: unknown,
): Promise<{ readonly value?: unknown; readonly issues: readonly Issue[] }> {
  const result = await schema["~standard"].validate(given);
  return result.issues === undefined ? { value: result.value, issues: [] } : { issues: result.issues.map(issueOf) };
}

function issueOf({ path = [], message }: SchemaIssue): Issue {
  return { path: path.map((part) => keyOf(typeof part === "object" ? part.key : part)), message };
}

function keyOf(key: PropertyKey): string | number {
  return typeof key === "symbol" ? String(key) : key;
}
