import { commonTagSchemas, type JsonSchemaObject, pairOf, tagged } from "@cairnjs/ir";

/**
 * Definitions for what stands in values beside plain JSON, under the names of the tags in `packages/ir/values.md`.
 * Whatever a payload looks like in detail is the decoder's affair.
 */
export const tagSchemas = {
  ...commonTagSchemas,
  $bigint: tagged("$bigint", { type: "string" }),
  /** An instance of a class with a codec may have the properties that an object type asks for. */
  $codec: tagged("$codec", pairOf({ type: "string" }, {})),
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
