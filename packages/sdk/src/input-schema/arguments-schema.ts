import { commonTagSchemas, type JsonSchema } from "@cairnjs/ir";
import type { ActionDefinition } from "../definition.ts";
import { schemaList } from "../schema-check.ts";
import { librarySchema } from "./library-schema.ts";

/**
 * What may be given to an action as the array of its arguments, in the tagged encoding; null if nothing is known. How many there are
 * is left open: as everywhere, some may be left out, and more may be given than are taken.
 */
export function argumentsSchemaOf({ options }: Pick<ActionDefinition, "options">): JsonSchema | null {
  if (options.input === undefined) return null;
  const definitions = new Map<string, JsonSchema>();
  const items = schemaList(options.input).map((schema): JsonSchema => {
    const found = librarySchema(schema);
    if (found === null || typeof found !== "object") return true;
    const { $schema: _dialect, $defs = {}, ...item } = found;
    // References lead to the root. Of two definitions with one name only the first could be found there.
    if (Object.keys($defs).some((name) => definitions.has(name))) return true;
    for (const [name, definition] of Object.entries($defs)) definitions.set(name, definition);
    // An argument that is left out before others.
    return { anyOf: [commonTagSchemas.$undefined, item] };
  });
  if (items.every((item) => item === true)) return null;
  const shared = definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) };
  return { type: "array", prefixItems: items, ...shared };
}
