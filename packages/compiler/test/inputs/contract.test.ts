import { describe, expect, test } from "vitest";
import { compile } from "../../src/index.ts";
import { compileOne, schemaOf } from "./schema-of.ts";

function compiled(files: Readonly<Record<string, string>>) {
  return compile("main.ts", {
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => {
      const source = files[id];
      if (source === undefined) throw new Error(`no file ${id}`);
      return source;
    },
  });
}

describe("modules", () => {
  const main = `import { workflow } from "cairnjs"; import { rate } from "./rates.ts"; import type { Order } from "./types.ts";
    import { unused } from "./unused.ts"; export default workflow("a", async (order: Order) => order.total * rate);`;
  const files = {
    "main.ts": main,
    "rates.ts": "export const rate = 2;",
    "types.ts": `export type { Order } from "./order.ts";`,
    "order.ts": "export interface Order { total: number }",
    "unused.ts": "export const unused = 1;",
  };

  test("are those that code or types led to, the entry first", () => {
    expect(compiled(files).modules).toEqual(["main.ts", "rates.ts", "types.ts", "order.ts"]);
  });

  test("that only types led to change the schema and neither program nor hash", () => {
    const other = { ...files, "order.ts": "export interface Order { total: number; id: string }" };
    const [before] = compiled(files).workflows;
    const [after] = compiled(other).workflows;
    expect(after?.program).toEqual(before?.program);
    expect(after?.hash).toBe(before?.hash);
    expect(after?.inputSchema).not.toEqual(before?.inputSchema);
  });

  test("of a type that cannot be read are no error of the workflow", () => {
    const broken = { ...files, "order.ts": "export interface Order {" };
    const { workflows, diagnostics } = compiled(broken);
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["CAIRN5013", "warning"]]);
    expect(workflows[0]?.inputSchema).toBeNull();
  });

  test("are told of a file that is no TypeScript", () => {
    expect(compiled({ "main.ts": "const = ;" }).modules).toEqual(["main.ts"]);
  });
});

test.each([
  ["a plain file", ""],
  ["a byte order mark", "\uFEFF"],
  ["characters of two units", "// 😀 é\n"],
  ["CRLF", "// one\r\n\r\n"],
  ["a hashbang", "#!/usr/bin/env node\n"],
])("`call` is the place of workflow(…) in UTF-16 units, with %s", (_, head) => {
  const source = `${head}import { workflow } from "cairnjs";\r\nexport const w = (workflow("w", async () => "😀") satisfies unknown) as any;`;
  const { call } = compileOne(source);
  expect(source.slice(call.start, call.end)).toBe(`workflow("w", async () => "😀")`);
});

test.each<[string, string, boolean]>([
  ["async () => 1", "none", false],
  ["async (input) => input", "required", false],
  ["async (input: string) => input", "required", true],
  ["async (input?: string) => input", "optional", true],
  ["async (input: string = 'x') => input", "optional", true],
  ["async (input = 'x') => input", "optional", false],
  ["async ({ a }: { a: string }) => a", "required", true],
  ["async ({ a }: { a?: string } = {}) => a", "optional", true],
  ["async ([first]: string[]) => first", "required", true],
  ["async function (this: void) { return 1; }", "none", false],
  ["async function (this: void, input: string) { return input; }", "required", true],
  ["async <T>(input: T) => input", "required", false],
  ["async (input: unknown) => input", "required", true],
  ["body", "required", true],
])("%s takes %s input", (body, input, hasSchema) => {
  const module = `import { workflow } from "cairnjs"; async function body(input: string) { return input; }
    export default workflow("w", { version: "1" }, ${body});`;
  const workflow = compileOne(module);
  expect([workflow.input, workflow.inputSchema !== null]).toEqual([input, hasSchema]);
});

test("what may be left out may be given as undefined too", () => {
  const derived = schemaOf("string = 'x'");
  expect([derived?.accepts(undefined), derived?.accepts("a"), derived?.accepts(1)]).toEqual([true, true, false]);
});

test("comments become descriptions, without their tags", () => {
  const derived = schemaOf(
    "Order",
    `/** An order
      * of a customer.
      * @deprecated */
    export interface Order {
      /** Its number. */
      readonly id: string;
      // no description
      other: string;
    }`,
  );
  const definition = JSON.parse(JSON.stringify(derived?.schema))["$defs"]["Order"];
  expect(definition.description).toBe("An order of a customer.");
  expect(definition.anyOf[0].properties).toEqual({
    id: { description: "Its number.", type: "string" },
    other: { type: "string" },
  });
});

describe("limits", () => {
  test("a type that grows as it recurs ends as anything", () => {
    const derived = schemaOf("Nest<string>", "interface Nest<T> { value: T; next?: Nest<T[]> }");
    expect(derived?.accepts({ value: "a", next: { value: ["b"], next: { value: [["c"]] } } })).toBe(true);
    expect(derived?.accepts({ value: "a", next: { value: "b" } })).toBe(false);
  });

  test("two types that contain themselves can be joined", () => {
    const derived = schemaOf("A & B", "interface A { x: 1; next?: A } interface B { y: 2; next?: B }");
    expect(derived?.accepts({ x: 1, y: 2, next: { x: 1, y: 2 } })).toBe(true);
    expect(derived?.accepts({ x: 1, y: 2, next: { x: 1 } })).toBe(false);
  });

  test("a type of thousands of properties and a chain of thousands of types are derived in parts", () => {
    const wide = Array.from({ length: 20_000 }, (_, index) => `p${index}: string`).join("; ");
    const chain = Array.from({ length: 3000 }, (_, index) => `interface T${index} { next: T${index + 1} }`).join("\n");
    const { inputSchema } = compileOne(
      `import { workflow } from "cairnjs";\n${chain}\nexport default workflow("w", async (input: { wide: { ${wide} }; chain: T0 }) => 1);`,
    );
    expect(JSON.stringify(inputSchema).length).toBeLessThan(2_000_000);
  });

  test("a union of thousands of literals is one enum", () => {
    const literals = Array.from({ length: 5000 }, (_, index) => `"v${index}"`).join(" | ");
    const derived = schemaOf(literals);
    expect([derived?.accepts("v4999"), derived?.accepts("v5000")]).toEqual([true, false]);
  });
});
