import * as nouns from "@cairnjs/schemas/rest";
import { z, type ZodType } from "zod";

export type JsonSchema = { [key: string]: unknown };

const COMPONENTS = "#/components/schemas/";

/**
 * Schemas of Zod as JSON Schema. What `@cairnjs/schemas/rest` exports keeps its name there, as a component of the document. The
 * transformation of fastify-type-provider-zod was tried: it lists all names twice, and wants them in Zod's global registry.
 */
export class JsonSchemas {
  readonly #io: "input" | "output";
  readonly #registry = z.registry<{ id: string }>();
  #converted: Readonly<Record<string, JsonSchema>> | null = null;
  #count = 0;

  constructor(io: "input" | "output") {
    this.#io = io;
    const seen = new Set<unknown>();
    for (const [name, value] of Object.entries(nouns)) {
      if (!(value instanceof z.ZodType) || seen.has(value)) continue;
      seen.add(value);
      this.#registry.add(value, { id: name });
    }
  }

  /** All are converted together: `get` gives it then. */
  add(schema: ZodType): () => JsonSchema {
    const known = this.#registry.get(schema);
    // One without a name may be that of several routes, and stands in each.
    if (known?.id.startsWith("-") === true) return () => this.#all()[known.id]!;
    if (known !== undefined) return () => ({ $ref: `${COMPONENTS}${known.id}` });
    const id = `-${this.#count++}`;
    this.#registry.add(schema, { id });
    return () => this.#all()[id]!;
  }

  /** What a reference leads to. */
  named(name: string): JsonSchema {
    return this.#all()[name]!;
  }

  #all(): Readonly<Record<string, JsonSchema>> {
    this.#converted ??= convert(this.#registry, this.#io);
    return this.#converted;
  }
}

function convert(registry: z.core.$ZodRegistry<{ id: string }>, io: "input" | "output"): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, {
    io,
    unrepresentable: "any",
    uri: (id) => `${COMPONENTS}${id}`,
    override: ({ jsonSchema, zodSchema: { _zod: inner } }) => {
      // Longer than the rest of the document, and the format says it.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // What a query may say in several ways is told in one of them: that is not both at once.
      if (jsonSchema.type === "array") delete jsonSchema.anyOf;
      if (inner.def.type === "unknown") jsonSchema.description ??= "Any JSON, as values are written";
    },
  });
  const named = Object.entries(schemas).map(([name, converted]): [string, JsonSchema] => {
    const { $schema: _, $id: __, ...schema } = converted;
    return [name, schema];
  });
  return Object.fromEntries(named);
}

/** The names of components that something refers to, with those that these refer to. */
export function referencesIn(value: unknown, named: (name: string) => JsonSchema | undefined): Set<string> {
  const names = new Set<string>();
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, inner] of Object.entries(part)) {
      if (key !== "$ref" || typeof inner !== "string" || !inner.startsWith(COMPONENTS)) {
        look(inner);
        continue;
      }
      const name = inner.slice(COMPONENTS.length);
      if (names.has(name)) continue;
      names.add(name);
      look(named(name));
    }
  };
  look(value);
  return names;
}
