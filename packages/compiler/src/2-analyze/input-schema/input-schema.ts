import type { JsonSchema, JsonSchemaObject } from "@cairnjs/ir";
import type { ParamPattern, TSType } from "oxc-parser";
import { isFunction, realParameters } from "../check/shape.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import { resolved, simple, unionOf, type InputType } from "./input-type.ts";
import { TypeReader } from "./read-type.ts";
import type { TypeNames } from "./type-names.ts";
import { SchemaWriter } from "./write-schema.ts";

/** What a workflow takes: nothing, or one value, which may perhaps be left out. */
export interface WorkflowInput {
  readonly input: "none" | "optional" | "required";
  /** Of the value in its tagged encoding; null when the source says nothing about it. */
  readonly inputSchema: JsonSchema | null;
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** From the annotation of the body's parameter, by syntax alone: no type checker runs. */
export function workflowInput({ units }: LinkedWorkflow, names: TypeNames): WorkflowInput {
  const [body] = units;
  if (body === undefined || !isFunction(body.node)) return { input: "none", inputSchema: null };
  const [parameter] = realParameters(body.node);
  if (parameter === undefined) return { input: "none", inputSchema: null };
  const { annotation, isOptional } = annotationOf(parameter);
  const input = isOptional ? "optional" : "required";
  if (annotation === null) return { input, inputSchema: null };
  const own = (body.node.typeParameters?.params ?? []).map(({ name }) => [name.name, simple.opaque] as const);
  const place = { module: body.module, parameters: new Map<string, InputType>(own) };
  const type = new TypeReader(names).read(annotation, place);
  return { input, inputSchema: schemaOf(type, isOptional) };
}

function schemaOf(type: InputType, isOptional: boolean): JsonSchemaObject | null {
  const writer = new SchemaWriter();
  const schema = writer.write(isOptional ? unionOf([type, simple.undefined]) : type, "input");
  const { kind } = resolved(type);
  if (Object.keys(schema).length === 0 && kind !== "unknown" && kind !== "any") return null;
  const { definitions } = writer;
  return {
    $schema: DIALECT,
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}

/** `input: Order`, `input?: Order`, `{ id }: Order = {…}`. */
function annotationOf(parameter: ParamPattern): { annotation: TSType | null; isOptional: boolean } {
  if (parameter.type === "AssignmentPattern") return { ...annotationOf(parameter.left), isOptional: true };
  if (!("typeAnnotation" in parameter)) return { annotation: null, isOptional: false };
  const annotation = parameter.typeAnnotation?.typeAnnotation ?? null;
  return { annotation, isOptional: "optional" in parameter && parameter.optional };
}
