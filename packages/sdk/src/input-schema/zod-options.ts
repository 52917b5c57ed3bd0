import { type MarkedTag, MAY_BE_UNDEFINED, TAG } from "./tagged-schema.ts";

/** As much of a schema of Zod 4 as is looked at; `_zod.def` is what its documentation offers to libraries. */
interface ZodSchema {
  readonly description?: string | undefined;
  readonly _zod: { readonly def: ZodDefinition; readonly toJSONSchema?: unknown };
}

interface ZodDefinition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly mode?: string;
  readonly values?: readonly unknown[];
  readonly in?: ZodSchema;
}

interface Overridden {
  readonly zodSchema: ZodSchema;
  readonly jsonSchema: Record<string, unknown>;
}

/** What is not in this list is not looked into: types that a later release brings, too. */
const UNDERSTOOD: ReadonlySet<string> = new Set(
  (
    "string number boolean null literal enum template_literal object record array tuple union intersection lazy pipe " +
    "optional default prefault nullable nonoptional readonly"
  ).split(" "),
);

/** What Zod writes no schema of, since JSON has no such values. */
const TAGS: ReadonlyMap<string, MarkedTag> = new Map([
  ["bigint", "$bigint"],
  ["date", "$date"],
  ["map", "$map"],
  ["set", "$set"],
]);

/** These take `undefined`, which what Zod writes does not say. */
const OPTIONAL: ReadonlySet<string> = new Set(["optional", "default", "prefault"]);

/**
 * Options of Zod's `toJSONSchema`. Of a schema that coerces, Zod writes what it makes; of one with a fallback, what it
 * wants: both take anything.
 */
export const zodOptions = {
  unrepresentable: "any",
  // Of what people note down with a schema, only the description: the rest would stand among the keywords.
  metadata: { get: ({ description }: ZodSchema) => (description === undefined ? undefined : { description }) },
  override: ({ zodSchema, jsonSchema }: Overridden): void => {
    const { def, toJSONSchema } = zodSchema["_zod"];
    const tag = TAGS.get(def.type);
    if (tag !== undefined || !isUnderstood(def) || toJSONSchema !== undefined) {
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      if (tag !== undefined && def.coerce !== true && toJSONSchema === undefined) jsonSchema[TAG] = tag;
    } else if (OPTIONAL.has(def.type)) jsonSchema[MAY_BE_UNDEFINED] = true;
  },
};

function isUnderstood({ type, coerce, mode, values = [], in: from }: ZodDefinition): boolean {
  if (!UNDERSTOOD.has(type) || coerce === true || mode === "loose") return false;
  if (from !== undefined && from["_zod"].def.type === "transform") return false;
  // A bigint would be written as a number, `undefined` not at all.
  return values.every((value) => value === null || ["string", "number", "boolean"].includes(typeof value));
}
