import { type JsonSchema, decodeNative } from "@cairnjs/ir";
import { definitionOf, inputSchemaOf, workflow, type WorkflowDefinition } from "cairnjs";
import { expect, it } from "vitest";
import { z } from "zod";
import { sampleInput } from "./sample-input.ts";

function schemaOf(input: z.ZodType): JsonSchema {
  return inputSchemaOf(definitionOf(workflow("w", { input }, async () => 1)) as WorkflowDefinition) ?? true;
}

it("shows what is required, in its usual form", () => {
  const Order = z.object({
    id: z.string(),
    kind: z.enum(["book", "pen"]),
    lines: z.array(z.object({ sku: z.string() })),
    pair: z.tuple([z.number(), z.boolean()]),
    customer: z.object({ name: z.literal("Ada's") }),
    note: z.string().optional(),
  });
  const sample = sampleInput(schemaOf(Order));
  expect(sample).toBe('{"id":"…","kind":"book","lines":[],"pair":[0,false],"customer":{"name":"Ada\'s"}}');
  expect(Order.safeParse(decodeNative(sample)).success).toBe(true);
});

it("ends where a type contains itself", () => {
  const Endless = z.object({
    get inner() {
      return Endless;
    },
  });
  expect(sampleInput(schemaOf(Endless))).toMatch(/^(\{"inner":)+null\}+$/);
  expect(sampleInput({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } })).toBe("null");
});
