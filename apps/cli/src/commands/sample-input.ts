import type { JsonSchema, JsonSchemaObject } from "@cairnjs/ir";

/** Parts inside parts are followed so far; a type may contain itself. */
const DEPTH_MAX = 6;

/** JSON, in the tagged encoding, of about what a schema asks for: with everything that is required, and nothing else. */
export function sampleInput(schema: JsonSchema): string {
  const definitions = typeof schema === "object" ? (schema.$defs ?? {}) : {};
  const sample = (part: JsonSchema, depth: number): unknown => {
    if (typeof part === "boolean" || depth > DEPTH_MAX) return null;
    if (part.$ref !== undefined) return sample(definitions[part.$ref.slice("#/$defs/".length)] ?? true, depth + 1);
    // The first alternative is the usual form.
    if (part.anyOf !== undefined) return sample(part.anyOf[0] ?? true, depth);
    if (part.const !== undefined) return part.const;
    return part.enum === undefined ? sampleOfType(part, (inner) => sample(inner, depth + 1)) : part.enum[0];
  };
  return JSON.stringify(sample(schema, 0));
}

function sampleOfType(
  { type, required = [], properties = {}, prefixItems = [], minItems = 0 }: JsonSchemaObject,
  sample: (part: JsonSchema) => unknown,
): unknown {
  switch (typeof type === "object" ? type[0] : type) {
    case "string":
      return "…";
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    case "array":
      return prefixItems.slice(0, minItems).map(sample);
    case "object":
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? true)]));
    default:
      return null;
  }
}
