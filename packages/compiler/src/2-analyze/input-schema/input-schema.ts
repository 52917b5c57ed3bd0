import type { JsonSchema, JsonSchemaObject } from "@cairnjs/ir";
import type { ParamPattern, TSType } from "oxc-parser";
import { isFunction, realParameters } from "../check/shape.ts";
import type { Module } from "../link/module.ts";
import type { LinkedWorkflow } from "../link/reach.ts";
import { membersOf, resolved, simple, unionOf, type InputType } from "./input-type.ts";
import { TypeReader } from "./read-type.ts";
import type { TypeNames } from "./type-names.ts";
import { SchemaWriter } from "./write-schema.ts";

/** What a workflow takes: nothing, or one value, which may perhaps be left out. */
export interface WorkflowInput {
  readonly input: "none" | "optional" | "required";
  /** Of the value in its tagged encoding; null when the source says nothing about it. */
  readonly inputSchema: JsonSchema | null;
}

/** The type of an input, where it is written but not understood. */
export interface UnreadType {
  readonly annotation: TSType;
  readonly module: Module;
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** From the annotation of the body's parameter, by syntax alone: no type checker runs. */
export function workflowInput(
  { units }: LinkedWorkflow,
  names: TypeNames,
): WorkflowInput & { readonly unread: UnreadType | null } {
  const [body] = units;
  const nothing = { inputSchema: null, unread: null };
  if (body === undefined || !isFunction(body.node)) return { input: "none", ...nothing };
  const [parameter] = realParameters(body.node);
  if (parameter === undefined) return { input: "none", ...nothing };
  const { annotation, isOptional } = annotationOf(parameter);
  const input = isOptional ? "optional" : "required";
  if (annotation === null) return { input, ...nothing };
  const own = (body.node.typeParameters?.params ?? []).map(({ name }) => [name.name, simple.opaque] as const);
  const place = { module: body.module, parameters: new Map<string, InputType>(own) };
  const type = new TypeReader(names).read(annotation, place);
  const inputSchema = schemaOf(type, isOptional);
  // What a parameter of the body's own stands for, only its caller knows.
  const isUnread = inputSchema === null && own.length === 0 && membersOf(type).every(({ kind }) => !isAnything(kind));
  return { input, inputSchema, unread: isUnread ? { annotation, module: body.module } : null };
}

/** Whoever writes this wants no check. */
function isAnything(kind: InputType["kind"]): boolean {
  return kind === "any" || kind === "unknown";
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
