import { encodeNative } from "@cairnjs/ir";
import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { validatorOf } from "../../compiler/test/inputs/schema-of.ts";
import { argumentsSchemaOf } from "../src/host/index.ts";
import { action, definitionOf, type ActionDefinition, type StandardSchema } from "../src/index.ts";
import { anyValue, zodSamples } from "./library-samples.ts";

function definitionWith(input: [StandardSchema, ...StandardSchema[]]): ActionDefinition {
  return definitionOf(action("a", { input }, async (...args: unknown[]) => args)) as ActionDefinition;
}

async function areTaken(schemas: readonly StandardSchema[], args: readonly unknown[]): Promise<boolean> {
  try {
    const results = await Promise.all(schemas.map(async (each, index) => each["~standard"].validate(args[index])));
    return results.every(({ issues }) => issues === undefined);
  } catch {
    return false;
  }
}

describe("the schema of an action's arguments", () => {
  it("takes all that the action takes: shared, left out, and more than that", async () => {
    const sample = fc.array(
      zodSamples.chain(({ schema, value }) =>
        fc.record({ schema: fc.constant(schema), value: fc.oneof(value, anyValue) }),
      ),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(sample, fc.boolean(), fc.nat(4), async (samples, isShared, count) => {
        const schemas = samples.map(({ schema }) => schema) as unknown as [StandardSchema, ...StandardSchema[]];
        const derived = argumentsSchemaOf(definitionWith(schemas));
        if (derived === null) return;
        const values = samples.map(({ value }) => (isShared ? samples[0]!.value : value));
        const args = [...values, "one more"].slice(0, count);
        const encoded: unknown = JSON.parse(encodeNative(args));
        if (validatorOf(derived).acceptsEncoded(encoded)) return;
        expect(await areTaken(schemas, args), JSON.stringify(encoded)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it("refuses what cannot fit", () => {
    const schema = argumentsSchemaOf(definitionWith([z.object({ id: z.string() }), v.number(), z.number()]));
    const { acceptsEncoded } = validatorOf(schema!);
    expect(acceptsEncoded([{ id: "a" }, "nothing is known of it", 5])).toBe(true);
    expect(acceptsEncoded([{ id: "a" }])).toBe(true);
    expect(acceptsEncoded([{ id: 5 }])).toBe(false);
    expect(acceptsEncoded([{ id: "a" }, 1, "five"])).toBe(false);
    expect(acceptsEncoded({ id: "a" })).toBe(false);
  });

  it("is none where nothing is known", () => {
    expect(argumentsSchemaOf(definitionWith([v.string()]))).toBeNull();
    expect(argumentsSchemaOf({ options: {} })).toBeNull();
  });
});
