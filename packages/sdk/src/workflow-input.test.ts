import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CompiledDefinition, WorkflowDefinition } from "./index.ts";
import { checkedInput, definitionOf, InvalidInput, type JsonSchema, NotStorable, workflow } from "./index.ts";

const undefinedTag = tagged("$undefined", { const: true });
const number: JsonSchema = { anyOf: [{ type: "number" }, tagged("$number", { enum: ["NaN", "-0"] })] };
const reference = tagged("$ref", { type: "integer" });

/** As the compiler writes `interface Order { id: string; cents: number; at?: Date; items: Item[]; pay: Pay }`. */
const orderSchema: JsonSchema = {
  $ref: "#/$defs/Order",
  $defs: {
    Order: identified("Order", {
      type: "object",
      properties: {
        id: { type: "string" },
        cents: number,
        at: { anyOf: [tagged("$date", { type: ["integer", "null"] }), reference, undefinedTag] },
        items: { anyOf: [{ type: "array", items: { $ref: "#/$defs/Item" } }, reference] },
        pay: { $ref: "#/$defs/Pay" },
      },
      required: ["id", "cents", "items"],
      additionalProperties: false,
    }),
    Item: identified("Item", {
      type: "object",
      properties: { sku: { type: "string" }, size: { enum: ["s", "m"] } },
      required: ["sku"],
      additionalProperties: false,
    }),
    Pay: {
      anyOf: [
        {
          type: "object",
          properties: { by: { const: "card" }, number: { type: "string" } },
          required: ["by", "number"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: { by: { const: "invoice" }, days: number },
          required: ["by", "days"],
          additionalProperties: false,
        },
      ],
    },
  },
};

/** A shared object is written once, as `$def`, and elsewhere as `$ref`. */
function identified(name: string, schema: JsonSchema): JsonSchema {
  const definition: JsonSchema = { type: "array", prefixItems: [{ type: "integer" }, { $ref: `#/$defs/${name}` }] };
  return { anyOf: [schema, reference, tagged("$def", definition)] };
}

function tagged(tag: string, payload: JsonSchema): JsonSchema {
  return { type: "object", properties: { [tag]: payload }, required: [tag], additionalProperties: false };
}

function compiled(inputSchema: JsonSchema | null, input: CompiledDefinition["input"] = "required"): WorkflowDefinition {
  const definition = definitionOf(workflow("checkout", async (order?: unknown) => order)) as WorkflowDefinition;
  const about = { inputSchema, input, hash: "", version: "", module: "", steps: new Map() };
  return { ...definition, compiled: about as unknown as CompiledDefinition };
}

const order = { id: "a", cents: 5, items: [{ sku: "x" }] };

async function refusal(definition: WorkflowDefinition, input: unknown): Promise<string> {
  const error: unknown = await checkedInput(definition, input).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidInput);
  return (error as InvalidInput).message;
}

describe("an input without a schema of its own", () => {
  it("is checked by the one that the compiler derived, and copied", async () => {
    const definition = compiled(orderSchema);
    const given = { ...order, at: new Date(5), cents: -0, pay: { by: "invoice", days: 3 } };
    const checked = await checkedInput(definition, given);
    expect(checked).toEqual(given);
    expect(checked).not.toBe(given);
    const item = { sku: "x" };
    const shared = { ...order, items: [item, item] };
    await expect(checkedInput(definition, shared)).resolves.toEqual(shared);
    const wrong = { sku: 5 };
    const text = await refusal(definition, { ...shared, items: [wrong, wrong] });
    expect(text).toBe('checkout: input: "items[0].sku": expected string, not 5');
  });

  it.each([
    [{ ...order, id: 5 }, 'checkout: input: "id": expected string, not 5'],
    [{ id: "a", items: [] }, 'checkout: input: "cents": missing'],
    [{ ...order, cetns: 5 }, 'checkout: input: "cetns": there is no such property; did you mean "cents"?'],
    [{ ...order, items: [{ sku: "x" }, { sku: 5 }] }, 'checkout: input: "items[1].sku": expected string, not 5'],
    [{ ...order, items: [{ sku: "x", size: "l" }] }, 'checkout: input: "items[0].size": expected "s" or "m", not "l"'],
    [{ ...order, at: "2026-01-01" }, 'checkout: input: "at": expected Date or undefined, not "2026-01-01"'],
    [{ ...order, cents: new Map() }, 'checkout: input: "cents": expected number, not Map'],
    [{ ...order, pay: { by: "card", nubmer: "1" } }, 'checkout: input: "pay.number": missing; "pay.nubmer": there is'],
    [{ ...order, pay: { by: "cash" } }, 'checkout: input: "pay.by": expected "card" or "invoice", not "cash"'],
    [{ ...order, pay: { number: "1" } }, 'checkout: input: "pay.by": missing'],
    ["text", 'checkout: input: expected object, not "text"'],
    [undefined, "checkout: input: expected object, not undefined"],
    [[order], "checkout: input: expected object, not array"],
  ])("is refused where it does not fit: %j", async (input, message) => {
    expect(await refusal(compiled(orderSchema), input)).toContain(message);
  });

  it("is told of a name that was meant, unless that is a guess", async () => {
    const point = (name: string): JsonSchema => ({
      type: "object",
      properties: { [name]: number },
      additionalProperties: false,
    });
    expect(await refusal(compiled(point("x")), { y: 1 })).toBe('checkout: input: "y": there is no such property');
    expect(await refusal(compiled(point("x")), { xy: 1 })).toBe('checkout: input: "xy": there is no such property');
    expect(await refusal(compiled(point("id")), { di: 1 })).toContain('did you mean "id"?');
  });

  it("may have keys that look like tags", async () => {
    const price: JsonSchema = { type: "object", properties: { $price: number }, required: ["$price"] };
    const definition = compiled(tagged("$object", price));
    await expect(checkedInput(definition, { $price: 5 })).resolves.toEqual({ $price: 5 });
    expect(await refusal(definition, { $price: "5" })).toBe('checkout: input: "$price": expected number, not "5"');
  });

  it("is refused for the number of its elements, also as one of several forms", async () => {
    const pair: JsonSchema = { type: "array", prefixItems: [number, number], items: false, minItems: 2 };
    const either = compiled({ anyOf: [pair, { type: "null" }] });
    expect(await refusal(either, [1])).toBe("checkout: input: expected at least 2 elements, not 1");
    const some = compiled({ type: "array", minItems: 1 });
    expect(await refusal(some, [])).toBe("checkout: input: expected at least 1 element, not 0");
    expect(await refusal(either, [1, 2, 3])).toBe('checkout: input: "[2]": not expected here');
  });

  it("may be left out where the workflow says so, and must be where it takes none", async () => {
    await expect(checkedInput(compiled({ type: "string" }, "optional"), undefined)).resolves.toBeUndefined();
    await expect(checkedInput(compiled(null, "none"), undefined)).resolves.toBeUndefined();
    expect(await refusal(compiled(null, "none"), 5)).toBe("checkout: input: given to a workflow that takes none");
    await expect(checkedInput(compiled(null), 5)).resolves.toBe(5);
  });

  it("is left to the control plane where it is too deep or too large to be checked here", async () => {
    const list: JsonSchema = { $ref: "#/$defs/List", $defs: { List: { anyOf: [{ type: "null" }, node()] } } };
    let deep: unknown = "no list";
    for (let count = 0; count < 1000; count++) deep = { next: deep };
    await expect(checkedInput(compiled(list), deep)).resolves.toBeDefined();
    const maps: JsonSchema = { $ref: "#/$defs/M", $defs: { M: tagged("$map", pairs()) } };
    let nested = new Map<number, unknown>();
    for (let count = 0; count < 10_000; count++) nested = new Map([[1, nested]]);
    await expect(checkedInput(compiled(maps), nested)).resolves.toBeInstanceOf(Map);
    const circle: JsonSchema = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } };
    await expect(checkedInput(compiled(circle), 1)).resolves.toBe(1);
  });

  it("is not checked at all where nothing was compiled, but must be storable", async () => {
    const flow = definitionOf(workflow("flow", async (input: unknown) => input)) as WorkflowDefinition;
    await expect(checkedInput(flow, { any: 1 })).resolves.toEqual({ any: 1 });
    await expect(checkedInput(flow, () => 1)).rejects.toThrow(NotStorable);
  });
});

it("goes by the schema in the options rather than by the derived one", async () => {
  const definition = compiled({ type: "string" });
  const own = { ...definition, options: { input: z.number().transform((n) => n * 2) } };
  await expect(checkedInput(own, 4)).resolves.toBe(8);
});

function node(): JsonSchema {
  return { type: "object", properties: { next: { $ref: "#/$defs/List" } }, required: ["next"] };
}

function pairs(): JsonSchema {
  return { type: "array", items: { type: "array", prefixItems: [true, { $ref: "#/$defs/M" }] } };
}
