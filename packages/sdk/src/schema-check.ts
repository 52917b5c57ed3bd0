import { InvalidInput, InvalidOutput } from "./errors.ts";
import { argumentIssueText, type Issue, issuesText, issueText } from "./issues.ts";
import type { ArgumentSchemas, SchemaIssue, SchemaResult, StandardSchema } from "./standard-schema.ts";

/**
 * The arguments as the schemas make them, without those that have none: as without schemas, what a handler does not take is
 * ignored. All problems of all arguments are reported at once; their paths begin with
 * the argument's index, unless there is a schema of the single argument alone.
 */
export async function argumentsBySchema(
  action: string,
  schemas: ArgumentSchemas,
  args: readonly unknown[],
): Promise<readonly unknown[]> {
  const list = schemaList(schemas);
  const checked = await Promise.all(list.map((schema, index) => checkBySchema(schema, args[index])));
  const issues = checked.flatMap((each, index) =>
    each.issues.map(({ path, message }) => ({ path: [index, ...path], message })),
  );
  if (issues.length === 0) return checked.map(({ value }) => value);
  if (isList(schemas)) throw new InvalidInput(issuesText(action, issues, argumentIssueText), issues);
  const inside = issues.map(({ path, message }) => ({ path: path.slice(1), message }));
  throw new InvalidInput(issuesText(action, inside, issueText), inside);
}

/** One for each argument. */
export function schemaList(schemas: ArgumentSchemas): readonly StandardSchema[] {
  return isList(schemas) ? schemas : [schemas];
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

/** At once: who sends a signal may be no async function, and a test that sends one goes on from there. */
export function signalBySchema(signal: string, schema: StandardSchema, given: unknown): unknown {
  const result = schema["~standard"].validate(given);
  if (result instanceof Promise) {
    throw new TypeError(`The schema of the signal "${signal}" is asynchronous. Give it one that answers at once.`);
  }
  const { value, issues } = checkedBy(result);
  if (issues.length > 0) throw new InvalidInput(issuesText(`${signal}: signal`, issues, issueText), issues);
  return value;
}

interface Checked {
  readonly value?: unknown;
  readonly issues: readonly Issue[];
}

async function checkBySchema(schema: StandardSchema, given: unknown): Promise<Checked> {
  return checkedBy(await schema["~standard"].validate(given));
}

function checkedBy(result: SchemaResult<unknown>): Checked {
  return result.issues === undefined ? { value: result.value, issues: [] } : { issues: result.issues.map(issueOf) };
}

function issueOf({ path = [], message }: SchemaIssue): Issue {
  return { path: path.map((part) => keyOf(typeof part === "object" ? part.key : part)), message };
}

function keyOf(key: PropertyKey): string | number {
  return typeof key === "symbol" ? String(key) : key;
}
