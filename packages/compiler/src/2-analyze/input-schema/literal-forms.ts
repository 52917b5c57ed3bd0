import { type JsonScalar, type JsonSchemaObject, tagged } from "@cairnjs/ir";
import type { LiteralType } from "./input-type.ts";

/** How the values of literal types are written: most as themselves, bigints and some numbers under their tags. */
export function literalForms(literals: readonly LiteralType[]): JsonSchemaObject[] {
  const plain = new Set<JsonScalar>();
  const numbers = new Set<string>();
  const bigints = new Set<string>();
  for (const { value } of literals) {
    if (typeof value === "bigint") bigints.add(String(value));
    else if (typeof value === "number" && !Number.isFinite(value)) numbers.add(String(value));
    else plain.add(value);
    if (value === 0) numbers.add("-0");
  }
  return [
    ...oneOf(plain),
    ...oneOf(numbers).map((schema) => tagged("$number", schema)),
    ...oneOf(bigints).map((schema) => tagged("$bigint", schema)),
  ];
}

function oneOf(values: ReadonlySet<JsonScalar>): JsonSchemaObject[] {
  const [first] = values;
  if (first === undefined) return [];
  return [values.size === 1 ? { const: first } : { enum: [...values] }];
}
