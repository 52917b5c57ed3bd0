import { compile } from "@cairnjs/compiler";
import type { JsonSchema } from "@cairnjs/ir";
import { expect, it } from "vitest";
import { sampleInput } from "./sample-input.ts";

function schemaOf(type: string): JsonSchema {
  const source = `import { workflow } from "cairnjs";
    type Input = ${type};
    export default workflow("w", async (input: Input) => 1);`;
  const { workflows } = compile("w.ts", { resolve: () => null, read: () => source });
  return workflows[0]?.inputSchema ?? false;
}

it("shows what is required, in its usual form", () => {
  const type = `{
    id: string;
    kind: "book" | "pen";
    lines: { sku: string }[];
    pair: [number, boolean];
    customer: { name: "Ada's"; since: Date };
    amount: bigint;
    note?: string;
  }`;
  expect(sampleInput(schemaOf(type))).toBe(
    '{"id":"…","kind":"book","lines":[],"pair":[0,false],' +
      '"customer":{"name":"Ada\'s","since":{"$date":0}},"amount":{"$bigint":"…"}}',
  );
  expect(sampleInput(schemaOf("string"))).toBe('"…"');
});

it("ends where a type contains itself", () => {
  expect(sampleInput(schemaOf("{ inner: Input }"))).toMatch(/^(\{"inner":)+null\}+$/);
  expect(sampleInput({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } })).toBe("null");
});
