/**
 * JSON Schema 2020-12, as far as schemas of inputs use it: whoever checks values against one needs to know these
 * keywords and no others. `description` and `$schema` say nothing about values.
 */
export type JsonSchema = boolean | JsonSchemaObject;

export interface JsonSchemaObject {
  readonly $schema?: string;
  readonly description?: string;
  /** Always `#/$defs/…` of the outermost schema. */
  readonly $ref?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: JsonScalar;
  readonly enum?: readonly JsonScalar[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** Only ever `^\$`, for keys that would be tags. */
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

export type JsonType = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

export type JsonScalar = string | number | boolean | null;
