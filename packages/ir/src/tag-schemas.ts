import type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";

/** `{"$tag":payload}` and nothing else. */
export function tagged(tag: string, payload: JsonSchema): JsonSchemaObject {
  return { type: "object", properties: { [tag]: payload }, required: [tag], additionalProperties: false };
}

export function pairOf(first: JsonSchema, second: JsonSchema): JsonSchemaObject {
  return { type: "array", prefixItems: [first, second], items: false, minItems: 2 };
}

/** What may stand in any value beside plain JSON, under the names of the tags in `packages/ir/values.md`. */
export const commonTagSchemas = {
  $undefined: tagged("$undefined", { const: true }),
  $number: tagged("$number", { enum: ["NaN", "-0", "Infinity", "-Infinity"] }),
  /** An array with holes or with properties of its own; rare, so what it holds is not looked at. */
  $array: tagged("$array", { type: "object" }),
  /** Another place of a shared object, which was checked where it is written. */
  $ref: tagged("$ref", { type: "integer" }),
} satisfies Record<string, JsonSchemaObject>;
