import { InvalidInput, InvalidOutput } from "./errors.ts";
import { argumentIssueText, type Issue, issuesText, issueText } from "./issues.ts";
import type { ArgumentSchemas, SchemaIssue, StandardSchema } from "./standard-schema.ts";

/** The arguments as the schemas make them. All problems of all arguments are reported at once. */
export async function argumentsBySchema(
  action: string,
  schemas: ArgumentSchemas,
  args: readonly unknown[],
): Promise<readonly unknown[]> {
  const list = "length" in schemas && Array.isArray(schemas) ? (schemas as readonly StandardSchema[]) : null;
  const count = list?.length ?? 1;
  const byPosition = list ?? [schemas as StandardSchema];
  const checked = await Promise.all(byPosition.map((schema, index) => checkBySchema(schema, args[index])));
  const issues = checked.flatMap(({ issues }, index) =>
    issues.map(({ path, message }) => ({ path: [index, ...path], message })),
  );
  if (args.length > count) {
    const message = `there is no such argument; it takes ${count === 1 ? "one" : count}`;
    issues.push({ path: [count], message });
  }
  if (issues.length === 0) return checked.map(({ value }) => value);
  if (list !== null || args.length > count)
    throw new InvalidInput(issuesText(action, issues, argumentIssueText), issues);
  const own = issues.map(({ path, message }) => ({ path: path.slice(1), message }));
  throw new InvalidInput(issuesText(action, own, issueText), own);
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
