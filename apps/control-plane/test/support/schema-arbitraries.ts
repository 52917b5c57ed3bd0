import fc from "fast-check";
import type { OpenApiDocument } from "../../src/http/openapi/openapi-document.ts";

type Schema = Readonly<Record<string, unknown>>;

/** What is taken instead of what a schema allows: things that exist, by the names of fields and parameters. */
export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const HOUR_MS = 3_600_000;
const LENGTH_MAX = 20;

/** Values that a schema of the document allows. */
export class SchemaArbitraries {
  readonly #document: OpenApiDocument;
  readonly #hints: Hints;

  constructor(document: OpenApiDocument, hints: Hints) {
    this.#document = document;
    this.#hints = hints;
  }

  /** `where` is `operation.field`; a hint may be for this, or for the field alone. */
  of(schema: Schema, where: string): fc.Arbitrary<unknown> {
    const hint = this.#hints[where] ?? this.#hints[where.slice(where.lastIndexOf(".") + 1)];
    return hint ?? this.#made(schema, where);
  }

  #made(schema: Schema, where: string): fc.Arbitrary<unknown> {
    const {
      $ref,
      enum: several,
      const: one,
      anyOf,
      oneOf,
      type,
    } = schema as {
      readonly $ref?: string;
      readonly enum?: readonly unknown[];
      readonly const?: unknown;
      readonly anyOf?: readonly Schema[];
      readonly oneOf?: readonly Schema[];
      readonly type?: string;
    };
    if ($ref !== undefined) return this.#made(this.#document.components.schemas[$ref.split("/").at(-1)!]!, where);
    if (several !== undefined) return fc.constantFrom(...several);
    if (one !== undefined) return fc.constant(one);
    const either = anyOf ?? oneOf;
    if (either !== undefined) return fc.oneof(...either.map((part) => this.#made(part, where)));
    if (type === "object") return this.#object(schema, where);
    if (type === "array") return this.#array(schema, where);
    if (type === "string") return text(schema);
    if (type === "integer" || type === "number") return number(schema);
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    return fc.jsonValue({ maxDepth: 2 });
  }

  #object(schema: Schema, where: string): fc.Arbitrary<unknown> {
    const { properties = {}, required = [] } = schema as {
      readonly properties?: Readonly<Record<string, Schema>>;
      readonly required?: readonly string[];
    };
    const operation = where.split(".")[0]!;
    const fields = Object.entries(properties).map(([name, inner]) => [name, this.of(inner, `${operation}.${name}`)]);
    return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: [...required],
    });
  }

  #array(schema: Schema, where: string): fc.Arbitrary<unknown> {
    const {
      items = {},
      minItems = 0,
      maxItems = 3,
    } = schema as {
      readonly items?: Schema;
      readonly minItems?: number;
      readonly maxItems?: number;
    };
    return fc.array(this.#made(items, where), { minLength: minItems, maxLength: Math.min(3, maxItems) });
  }
}

function text(schema: Schema): fc.Arbitrary<string> {
  const {
    pattern,
    format,
    minLength = 0,
    maxLength = LENGTH_MAX,
  } = schema as {
    readonly pattern?: string;
    readonly format?: string;
    readonly minLength?: number;
    readonly maxLength?: number;
  };
  if (format === "date-time") return fc.integer({ min: -HOUR_MS, max: HOUR_MS }).map(aboutNow);
  if (pattern !== undefined) return matching(pattern);
  return fc.string({ minLength, maxLength: Math.min(LENGTH_MAX, maxLength) });
}

/** What must not come is not among what fast-check can make: it is left out afterwards. */
function matching(pattern: string): fc.Arbitrary<string> {
  const all = fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?![^)]*\)/g, "")), { size: "small" });
  return all.filter((each) => new RegExp(pattern).test(each));
}

function aboutNow(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

function number(schema: Schema): fc.Arbitrary<number> {
  const { minimum = -1_000, maximum = 1_000_000 } = schema as { readonly minimum?: number; readonly maximum?: number };
  return fc.integer({ min: minimum, max: maximum });
}
