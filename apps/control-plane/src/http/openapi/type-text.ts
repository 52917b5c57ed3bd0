import type { JsonSchema } from "./json-schemas.ts";

const DEPTH_MAX = 6;

interface Known {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** A schema as people of TypeScript read it. On several lines from an indent on, else on one. */
export function typeText(schema: JsonSchema, indent: number | null = null, depth = 0): string {
  const known = schema as Known;
  if (depth > DEPTH_MAX) return "…";
  const inner = (part: JsonSchema): string => typeText(part, indent, depth + 1);
  if (known.$ref !== undefined) return known.$ref.slice(known.$ref.lastIndexOf("/") + 1);
  if (known.const !== undefined) return JSON.stringify(known.const);
  if (known.enum !== undefined) return known.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = known.anyOf ?? known.oneOf;
  if (either !== undefined) return either.map(inner).join(" | ");
  if (known.allOf !== undefined) return known.allOf.map(inner).join(" & ");
  if (known.type === "array") return known.items === undefined ? "unknown[]" : arrayText(inner(known.items));
  if (known.type === "object" || known.properties !== undefined) return objectText(known, indent, depth);
  return scalarText(known);
}

function arrayText(item: string): string {
  return /[ |&]/.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectText({ properties = {}, required = [] }: Known, indent: number | null, depth: number): string {
  const names = Object.keys(properties);
  if (names.length === 0) return "{}";
  const next = indent === null ? null : indent + 2;
  const fields = names.map((name) => {
    const mark = required.includes(name) ? "" : "?";
    return `${name}${mark}: ${typeText(properties[name]!, next, depth + 1)}`;
  });
  if (next === null || indent === null) return `{ ${fields.join("; ")} }`;
  return `{\n${fields.map((field) => `${" ".repeat(next)}${field}`).join(";\n")}\n${" ".repeat(indent)}}`;
}

function scalarText({ type = "unknown", format, minimum, maximum, default: usual }: Known): string {
  const range = minimum === undefined && maximum === undefined ? "" : ` ${minimum ?? ""}…${maximum ?? ""}`;
  const about = `${format === undefined ? type : format}${range}`;
  return usual === undefined ? about : `${about} = ${JSON.stringify(usual)}`;
}
