import { encodeNative, type JsonSchema } from "@cairnjs/ir";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type DerivedSchema, schemaOf } from "../../compiler/test/inputs/schema-of.ts";
import { type TypeSample, typeSamples } from "../../compiler/test/inputs/type-samples.ts";
import { issuesByJsonSchema } from "../src/json-schema-check.ts";

const RUNS = 40;
const VALUES = 8;

interface Sample {
  readonly text: string;
  readonly declarations: string;
  readonly values: readonly unknown[];
}

/** A type with values of it, values that are almost of it, and values of another type. */
const samples: fc.Arbitrary<Sample> = fc.tuple(typeSamples, typeSamples).chain(([type, other]) =>
  fc.record({
    text: fc.constant(type.text),
    declarations: fc.constant([...new Set(type.declarations)].join("\n")),
    values: fc.array(fc.oneof(...valuesOf(type), other.value), { minLength: 1, maxLength: VALUES }),
  }),
);

function valuesOf({ value, broken }: TypeSample): fc.Arbitrary<unknown>[] {
  return broken === null ? [value] : [value, broken];
}

function isFitting(schema: JsonSchema, encoded: unknown): boolean {
  return issuesByJsonSchema(schema, encoded).length === 0;
}

/** Encoded values that the SDK's check and Ajv do not agree on. */
function disagreements(derived: DerivedSchema | null, values: readonly unknown[]): unknown[] {
  if (derived === null) return [];
  const encoded = values.map((value): unknown => JSON.parse(encodeNative(value)));
  return encoded.filter((each) => isFitting(derived.schema, each) !== derived.acceptsEncoded(each));
}

test("the check of inputs agrees with Ajv on schemas of random types", () => {
  fc.assert(
    fc.property(samples, ({ text, declarations, values }) => {
      expect(disagreements(schemaOf(text, declarations), values)).toEqual([]);
      const shared = values.map((value) => ({ x: value, y: value }));
      expect(disagreements(schemaOf(`{ x: ${text}; y: ${text} }`, declarations), shared)).toEqual([]);
    }),
    { numRuns: RUNS },
  );
}, 60_000);

test("of a value that is wrong in more places than anyone reads, some are told", () => {
  const wrong = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`name ${index}`, index]));
  const closed: JsonSchema = { type: "object", properties: { n: { type: "number" } }, additionalProperties: false };
  for (const schema of [closed, { anyOf: [closed, { type: "null" }] } satisfies JsonSchema]) {
    expect(issuesByJsonSchema(schema, wrong).length).toBeGreaterThan(50);
    expect(issuesByJsonSchema(schema, wrong).length).toBeLessThan(1_000);
  }
  const texts: JsonSchema = { type: "array", items: { type: "string" } };
  expect(issuesByJsonSchema(texts, Object.values(wrong)).length).toBeLessThan(1_000);
});
