import { encodeNative } from "@cairnjs/ir";
import { type } from "arktype";
import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { validatorOf } from "../../compiler/test/inputs/schema-of.ts";
import {
  checkedInput,
  definitionOf,
  inputSchemaOf,
  type StandardSchema,
  workflow,
  type WorkflowDefinition,
} from "../src/index.ts";
import { issuesByJsonSchema } from "../src/json-schema-check.ts";
import { anyValue, arkSamples, type LibrarySample, zodSamples } from "./library-samples.ts";

const RUNS = 100;
const VALUES = 12;

function workflowOf(input: StandardSchema): WorkflowDefinition {
  return definitionOf(workflow("w", { input }, async (given) => given)) as WorkflowDefinition;
}

/** What the derived schema says of a value. */
function accepts(input: StandardSchema, value: unknown): boolean {
  const schema = inputSchemaOf(workflowOf(input));
  return schema === null || validatorOf(schema).accepts(value);
}

/** Encoded values that the library takes, and the schema derived from it does not. */
async function wronglyRefused(schema: StandardSchema, values: readonly unknown[]): Promise<unknown[]> {
  const derived = inputSchemaOf(workflowOf(schema));
  if (derived === null) return [];
  const { acceptsEncoded } = validatorOf(derived);
  const refused: unknown[] = [];
  for (const value of values) {
    const encoded: unknown = JSON.parse(encodeNative(value));
    if (acceptsEncoded(encoded) && issuesByJsonSchema(derived, encoded).length === 0) continue;
    if (await isTaken(schema, value)) refused.push(encoded);
  }
  return refused;
}

/** A conversion may throw on an odd value; that is no acceptance. */
async function isTaken(schema: StandardSchema, value: unknown): Promise<boolean> {
  try {
    return (await schema["~standard"].validate(value)).issues === undefined;
  } catch {
    return false;
  }
}

function withValues<S>(samples: fc.Arbitrary<LibrarySample<S>>): fc.Arbitrary<{ schema: S; values: unknown[] }> {
  return samples.chain(({ schema, value }) =>
    fc.record({
      schema: fc.constant(schema),
      values: fc.array(fc.oneof({ weight: 3, arbitrary: value }, anyValue), { minLength: 1, maxLength: VALUES }),
    }),
  );
}

/** Where it has identity, it is shared. */
function twice(value: unknown): unknown[] {
  return [value, value];
}

describe("a schema that is derived from a library's", () => {
  test(
    "Zod: takes whatever the library takes, for random schemas and values",
    () =>
      fc.assert(
        fc.asyncProperty(withValues(zodSamples), async ({ schema, values }) => {
          expect(await wronglyRefused(schema, values)).toEqual([]);
          expect(await wronglyRefused(z.tuple([schema, schema]), values.map(twice))).toEqual([]);
        }),
        { numRuns: RUNS },
      ),
    60_000,
  );

  test(
    "ArkType: takes whatever the library takes, for random schemas and values",
    () =>
      fc.assert(
        fc.asyncProperty(withValues(arkSamples), async ({ schema, values }) => {
          expect(await wronglyRefused(schema, values)).toEqual([]);
          expect(await wronglyRefused(type([schema, schema]), values.map(twice))).toEqual([]);
        }),
        { numRuns: RUNS },
      ),
    60_000,
  );

  const Order = z.object({
    id: z.string(),
    lines: z.array(z.object({ sku: z.string(), count: z.int() })),
    express: z.boolean().optional(),
    currency: z.enum(["eur", "usd"]).default("eur"),
    due: z.date(),
  });
  const order = { id: "o-1", lines: [{ sku: "book", count: 2 }], due: new Date(0) };

  it.each([
    [order, true],
    [{ ...order, express: undefined, currency: "usd" }, true],
    [{ ...order, more: 1 }, true],
    [{ ...order, id: 7 }, false],
    [{ ...order, currency: "gbp" }, false],
    [{ ...order, lines: [{ sku: "book", count: "2" }] }, false],
    [{ lines: [], due: new Date(0) }, false],
    [[order], false],
    ["o-1", false],
    [undefined, false],
  ])("refuses what cannot be right: %j", (value, isRight) => {
    expect(accepts(Order, value)).toBe(isRight);
    const Same = type({
      id: "string",
      lines: type({ sku: "string", count: "number.integer" }).array(),
      "express?": "boolean | undefined",
      currency: "'eur' | 'usd' = 'eur'",
      due: "Date",
    });
    expect(accepts(Same, value)).toBe(isRight);
  });

  it("knows what JSON has no form of, and that it must be there", () => {
    const Stock = z.object({
      at: z.date(),
      count: z.bigint(),
      names: z.set(z.string()),
      prices: z.map(z.string(), z.number()),
      from: z.coerce.date(),
    });
    const stock = { at: new Date(0), count: 5n, names: new Set(["a"]), prices: new Map([["a", 1]]) };
    expect(accepts(Stock, stock)).toBe(true);
    for (const name of ["at", "count", "names", "prices"]) {
      expect(accepts(Stock, { ...stock, [name]: "x" })).toBe(false);
      const { [name as "at"]: _left, ...rest } = stock;
      expect(accepts(Stock, rest)).toBe(false);
    }
    expect(accepts(z.array(z.date()), twice(new Date(0)))).toBe(true);
  });

  it("checks shared objects like others, and allows for what contains itself", () => {
    const line = { sku: "book", count: 2 };
    expect(accepts(Order, { ...order, lines: [line, line] })).toBe(true);
    const wrong = { sku: 5, count: 2 };
    expect(accepts(Order, { ...order, lines: [wrong, wrong] })).toBe(false);
    const Tree = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree);
      },
    });
    expect(accepts(Tree, { name: "a", children: [{ name: "b", children: [] }] })).toBe(true);
    expect(accepts(Tree, { name: "a", children: [{ name: 5, children: [] }] })).toBe(false);
  });

  it("takes anything where a value is converted, or replaced", () => {
    expect(accepts(z.object({ n: z.coerce.number() }), { n: "5" })).toBe(true);
    expect(accepts(z.object({ n: z.number().catch(0) }), { n: "x" })).toBe(true);
    expect(accepts(z.object({ n: z.preprocess(Number, z.number()) }), {})).toBe(true);
    expect(accepts(z.array(z.string().optional()), [undefined])).toBe(true);
  });

  it("is of keys that look like tags as well", () => {
    const Price = z.object({ $price: z.number() });
    expect(accepts(Price, { $price: 5 })).toBe(true);
    expect(accepts(Price, { $price: "5" })).toBe(false);
    expect(accepts(Price, {})).toBe(false);
  });

  it("has the descriptions that people gave", () => {
    const schema = inputSchemaOf(workflowOf(z.string().describe("Who is greeted")));
    expect(schema).toMatchObject({ type: "string", description: "Who is greeted" });
  });
});

it("nothing is derived where the library does not say, or says what cannot be relied on", () => {
  expect(inputSchemaOf(workflowOf(v.object({ a: v.string() })))).toBe(null);
  expect(inputSchemaOf(workflowOf(z.any()))).toBe(null);
  const standard = { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) } as const;
  const other = { "~standard": { ...standard, jsonSchema: { input: () => ({ type: "string" }) } } };
  expect(inputSchemaOf(workflowOf(other))).toBe(null);
});

it("the schema in the options counts, not the parameter's type, which is of what it makes", async () => {
  const definition = workflowOf(z.object({ at: z.string().transform((text) => new Date(text)) }));
  const compiled = { inputSchema: { type: "number" }, input: "required" };
  const own = { ...definition, compiled: compiled as unknown as NonNullable<WorkflowDefinition["compiled"]> };
  const schema = inputSchemaOf(own);
  expect(schema === null || validatorOf(schema).accepts({ at: "2026-01-01" })).toBe(true);
  await expect(checkedInput(own, { at: "2026-01-01" })).resolves.toEqual({ at: new Date("2026-01-01") });
  expect(inputSchemaOf({ ...own, options: {} })).toEqual({ type: "number" });
});
