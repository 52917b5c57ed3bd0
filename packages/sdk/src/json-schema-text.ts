import type { JsonSchema, JsonSchemaObject } from "@cairnjs/ir";

/** What people call the things that the encoding writes with a tag. */
const KINDS: Readonly<Record<string, string>> = {
  $undefined: "undefined",
  $number: "number",
  $bigint: "bigint",
  $date: "Date",
  $bytes: "Uint8Array",
  $url: "URL",
  $params: "URLSearchParams",
  $map: "Map",
  $set: "Set",
  $error: "Error",
  $array: "array",
  $object: "object",
};

/** Ways to write something that is there in another form already. */
const FORMS_ONLY: readonly string[] = ["$ref", "$def", "$codec"];

const ALTERNATIVES_MAX = 6;
const DEPTH_MAX = 8;

/** `string or Date`, `"eur" or "usd"`. */
export function expectationOf(schema: JsonSchemaObject, resolve: (schema: JsonSchema) => JsonSchema): string {
  const alternatives = [...new Set(alternativesOf(schema, resolve, 0))];
  const shown = alternatives.slice(0, ALTERNATIVES_MAX);
  if (alternatives.length > shown.length) shown.push("…");
  return shown.length === 0 ? "something else" : shown.join(" or ");
}

function alternativesOf(
  unresolved: JsonSchema,
  resolve: (schema: JsonSchema) => JsonSchema,
  depth: number,
): readonly string[] {
  const schema = resolve(unresolved);
  if (typeof schema === "boolean" || depth > DEPTH_MAX) return [];
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((member) => alternativesOf(member, resolve, depth + 1));
  if ("const" in schema) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each));
  const [tag = ""] = schema.required ?? [];
  if (FORMS_ONLY.includes(tag)) return [];
  if (Object.hasOwn(KINDS, tag)) return [KINDS[tag]!];
  return schema.type === undefined ? [] : [schema.type].flat();
}

/** What an encoded value is, to people. */
export function kindText(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return JSON.stringify(shortened(value));
  if (typeof value !== "object") return JSON.stringify(value);
  const [tag = ""] = Object.keys(value);
  return Object.hasOwn(KINDS, tag) ? KINDS[tag]! : "object";
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
