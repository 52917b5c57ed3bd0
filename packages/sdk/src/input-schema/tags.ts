import { commonTagSchemas, type JsonSchemaObject, tagged } from "@cairnjs/ir";

/** What stands in values beside plain JSON; payloads in detail are the decoder's affair. */
export const tagSchemas = {
  ...commonTagSchemas,
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
