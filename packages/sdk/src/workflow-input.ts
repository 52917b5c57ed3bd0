import type { JsonSchema } from "@cairnjs/ir";
import { decodeCopy, encodeCopy, type EncodedCopy } from "./copy.ts";
import type { CompiledDefinition, WorkflowDefinition } from "./definition.ts";
import { InvalidInput } from "./errors.ts";
import { librarySchema } from "./input-schema/library-schema.ts";
import { type Issue, issuesText, issueText } from "./issues.ts";
import { issuesByJsonSchema } from "./json-schema-check.ts";
import { inputBySchema } from "./schema-check.ts";

/**
 * The input as the body will get it, for whoever starts a run: copied as by storage, checked by the schema in the
 * workflow's options and what that makes of it, or by the one that the compiler derived from the parameter's type.
 * Rejects with InvalidInput, or with NotStorable.
 */
export async function checkedInput(definition: WorkflowDefinition, input: unknown): Promise<unknown> {
  return decodeCopy(await checkedEncoding(definition, encodeCopy(input, "input")));
}

/**
 * What a body gets that is called as a function. As in JavaScript a function that takes nothing may be given something:
 * `items.map(child)`. Who starts a run by itself means what is given, and is told that it is not taken.
 */
export function calledEncoding(definition: WorkflowDefinition, copy: EncodedCopy): EncodedCopy | Promise<EncodedCopy> {
  const takesNone = definition.compiled?.input === "none" && definition.options.input === undefined;
  return takesNone ? NO_INPUT : checkedEncoding(definition, copy);
}

const NO_INPUT = encodeCopy(undefined, "input");

/**
 * What may be given to a workflow as its input, in the tagged encoding, for whoever starts runs without having its code;
 * null if nothing is known. With a schema in the options it is that schema's, or none: the parameter's type is then of
 * what the schema makes of an input.
 */
export function inputSchemaOf({ options, compiled }: WorkflowDefinition): JsonSchema | null {
  return options.input === undefined ? (compiled?.inputSchema ?? null) : librarySchema(options.input);
}

const NOTHING: JsonSchema = { anyOf: [{ type: "null" }, { type: "object", required: ["$undefined"] }] };

/** What the input of a run must fit that is started from outside, in the tagged encoding; null if nothing is known. */
export function startSchemaOf(definition: WorkflowDefinition, { input }: CompiledDefinition): JsonSchema | null {
  if (input === "none") return NOTHING;
  const inputSchema = inputSchemaOf(definition);
  if (inputSchema === null || typeof inputSchema !== "object" || input === "required") return inputSchema;
  const { $defs, ...schema } = inputSchema;
  return { ...($defs === undefined ? {} : { $defs }), anyOf: [NOTHING, schema] };
}

/** The same without decoding: a promise only if there is a schema in the options, which may take its time. */
export function checkedEncoding(
  { name, options, compiled }: WorkflowDefinition,
  copy: EncodedCopy,
): EncodedCopy | Promise<EncodedCopy> {
  if (options.input !== undefined) {
    return inputBySchema(name, options.input, decodeCopy(copy)).then((made) => encodeCopy(made, "input"));
  }
  if (compiled !== undefined) requireFitting(name, compiled, copy);
  return copy;
}

/** Throws InvalidInput unless the input fits what the compiler derived. */
function requireFitting(name: string, compiled: CompiledDefinition, { text }: EncodedCopy): void {
  const issues = issuesOf(compiled, JSON.parse(text));
  if (issues.length > 0) throw new InvalidInput(issuesText(`${name}: input`, issues, issueText), issues);
}

function issuesOf({ input, inputSchema }: CompiledDefinition, encoded: unknown): readonly Issue[] {
  if (isUndefined(encoded) && input !== "required") return [];
  if (input === "none") return [{ path: [], message: "given to a workflow that takes none" }];
  return inputSchema === null ? [] : issuesByJsonSchema(inputSchema, encoded);
}

function isUndefined(encoded: unknown): boolean {
  return typeof encoded === "object" && encoded !== null && "$undefined" in encoded;
}
