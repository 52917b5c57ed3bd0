import type { JsonSchema, JsonSchemaObject } from "@cairnjs/ir";

/** `{"$tag":payload}` and nothing else. */
export function tagged(tag: string, payload: JsonSchema): JsonSchemaObject {
  return { type: "object", properties: { [tag]: payload }, required: [tag], additionalProperties: false };
}

export function pairOf(first: JsonSchema, second: JsonSchema): JsonSchemaObject {
  return { type: "array", prefixItems: [first, second], items: false, minItems: 2 };
}

/**
 * Definitions for what stands in values beside plain JSON, under the names of the tags in `packages/ir/values.md`.
 * Whatever a payload looks like in detail is the decoder's affair.
 */
export const tagSchemas = {
  $undefined: tagged("$undefined", { const: true }),
  $number: tagged("$number", { enum: ["NaN", "-0", "Infinity", "-Infinity"] }),
  $bigint: tagged("$bigint", { type: "string" }),
  /** An array with holes or with properties of its own; rare, so what it holds is not looked at. */
  $array: tagged("$array", { type: "object" }),
  /** An instance of a class with a codec may have the properties that an object type asks for. */
  $codec: tagged("$codec", pairOf({ type: "string" }, {})),
  /** Another place of a shared object, which was checked where it is written. */
  $ref: tagged("$ref", { type: "integer" }),
  /** Whatever is not written as a plain object. */
  $other: {
    anyOf: [
      { type: ["string", "number", "boolean", "null", "array"] },
      { type: "object", patternProperties: { "^\\$": {} }, additionalProperties: false },
    ],
  },
} satisfies Record<string, JsonSchemaObject>;

/** Built-in classes whose instances are stored under a tag. */
export const instanceSchemas = {
  date: tagged("$date", { type: ["integer", "null"] }),
  bytes: tagged("$bytes", { type: "string" }),
  url: tagged("$url", { type: "string" }),
  params: tagged("$params", { type: "array", items: pairOf({ type: "string" }, { type: "string" }) }),
  error: tagged("$error", { type: "object" }),
} satisfies Record<string, JsonSchemaObject>;
