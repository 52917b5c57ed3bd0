import type { JsonSchema, JsonSchemaObject } from "@cairnjs/ir";

/** `{"$tag":payload}` and nothing else. */
export function tagged(tag: string, payload: JsonSchema): JsonSchemaObject {
  return { type: "object", properties: { [tag]: payload }, required: [tag], additionalProperties: false };
}

export function pairOf(first: JsonSchema, second: JsonSchema): JsonSchemaObject {
  return { type: "array", prefixItems: [first, second], items: false, minItems: 2 };
}

/** What stands in values beside plain JSON; payloads in detail are the decoder's affair. */
export const tagSchemas = {
  $undefined: tagged("$undefined", { const: true }),
  $number: tagged("$number", { enum: ["NaN", "-0", "Infinity", "-Infinity"] }),
  /** An array with holes or with properties of its own; rare, so what it holds is not looked at. */
  $array: tagged("$array", { type: "object" }),
  /** Another place of a shared object, which was checked where it is written. */
  $ref: tagged("$ref", { type: "integer" }),
  $bigint: tagged("$bigint", {}),
  $date: tagged("$date", {}),
  $map: tagged("$map", {}),
  $set: tagged("$set", {}),
  $codec: tagged("$codec", {}),
  /** Whatever is an object and not a plain one: to a library it may have the properties that it asks for. */
  $instance: {
    anyOf: ["$codec", "$date", "$bytes", "$url", "$params", "$map", "$set", "$error"].map((tag) => tagged(tag, {})),
  },
} satisfies Record<string, JsonSchemaObject>;
