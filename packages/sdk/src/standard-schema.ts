/**
 * The Standard Schema interface, version 1 (https://standardschema.dev), which Zod, Valibot, ArkType and others
 * have. Written out here, as its authors recommend, since it is types alone.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, which some libraries have besides. */
    readonly jsonSchema?: { readonly input: (options: JsonSchemaOptions) => unknown } | undefined;
  };
}

interface JsonSchemaOptions {
  readonly target: "draft-2020-12";
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What may be given to the schema. */
export type InputOf<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/** What the schema makes of it. */
export type OutputOf<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** Of the single argument, or one per position. */
export type ArgumentSchemas = StandardSchema | readonly [StandardSchema, ...StandardSchema[]];

/** The handler's parameters. */
export type SchemaOutputs<S extends ArgumentSchemas> = S extends StandardSchema
  ? [input: OutputOf<S>]
  : S extends readonly StandardSchema[]
    ? EachOutput<S>
    : never;

/** The caller's arguments; those at the end for which the schema has a default may be left out. */
export type SchemaInputs<S extends ArgumentSchemas> = S extends StandardSchema
  ? undefined extends InputOf<S>
    ? [input?: InputOf<S>]
    : [input: InputOf<S>]
  : S extends readonly StandardSchema[]
    ? OptionalAtEnd<EachInput<S>>
    : never;

type EachOutput<S extends readonly StandardSchema[]> = { -readonly [Index in keyof S]: OutputOf<S[Index]> };
type EachInput<S extends readonly StandardSchema[]> = { -readonly [Index in keyof S]: InputOf<S[Index]> };

/** Arguments at the end that may be undefined may be left out. */
export type OptionalAtEnd<Args> = Args extends [...infer First, infer Last]
  ? undefined extends Last
    ? [...OptionalAtEnd<First>, Last?]
    : Args
  : [];

export function isStandardSchema(value: unknown): value is StandardSchema {
  // A schema of ArkType is a function.
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard === "object" && standard !== null && "validate" in standard;
}
