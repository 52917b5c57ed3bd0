import type { JsonSchema } from "@cairnjs/ir";
import type { StandardSchema } from "../standard-schema.ts";
import { taggedSchema } from "./tagged-schema.ts";
import { zodOptions } from "./zod-options.ts";

/**
 * Of what may be given to a schema, in the tagged encoding; null where its library does not say, or says it in a way
 * that nobody here has looked into. Standard JSON Schema leaves open what becomes of coercions, fallbacks and
 * `undefined`, and a schema that refuses what its library takes would be worse than none.
 */
export function librarySchema(schema: StandardSchema): JsonSchema | null {
  const { vendor, jsonSchema } = schema["~standard"];
  const libraryOptions = LIBRARY_OPTIONS.get(vendor);
  if (jsonSchema === undefined || libraryOptions === undefined) return null;
  try {
    return taggedSchema(jsonSchema.input({ target: "draft-2020-12", libraryOptions }));
  } catch {
    // What cannot be written as a JSON Schema is a throw in each library.
    return null;
  }
}

/**
 * Valibot is not among them: its converter passes over `fallback()`, with which anything is taken, and what it hands
 * out does not lead to the schema.
 */
const LIBRARY_OPTIONS: ReadonlyMap<string, Record<string, unknown>> = new Map<string, Record<string, unknown>>([
  ["zod", zodOptions],
  ["arktype", {}],
]);
