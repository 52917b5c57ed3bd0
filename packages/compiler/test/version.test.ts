import { describe, expect, test } from "vitest";
import { compile, type CompiledWorkflow } from "../src/index.ts";

const source = `
import { action, workflow } from "cairnjs";
const charge = action("charge", async (cents: number) => cents);
interface Input { items: { cents: number }[] }
export default workflow("checkout", async (input: Input) => {
  let total = 0;
  for (const item of input.items) total += await charge(item.cents);
  return { total };
});
`;

function only(text: string): CompiledWorkflow {
  const { workflows, diagnostics } = compile("main.ts", { resolve: () => null, read: () => text });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const [workflow] = workflows;
  if (workflow === undefined) throw new Error("nothing compiled");
  return workflow;
}

const base = only(source);

describe("what is no change of the program keeps its version", () => {
  test.each([
    ["formatting", source.replaceAll("\n", "\n\n").replaceAll("  ", "      ")],
    ["comments", source.replace("let total", "/* the sum */ let total")],
    [
      "types",
      source.replace("(input: Input)", "(input: { items: any[] })").replace("total += await", "total += <number>await"),
    ],
    ["the code of an action", source.replace("=> cents)", "=> cents * 2)")],
    ["unrelated code of the module", `const unused = Math.max(1, 2);${source}`],
    ["braces", source.replace("total += await charge(item.cents);", "{ total += await charge(item.cents); }")],
  ])("%s", (_, text) => {
    expect(only(text).version).toBe(base.version);
  });
});

describe("a change of the program changes its version", () => {
  test.each([
    ["another constant", source.replace("total = 0", "total = 1")],
    ["another name of an action", source.replace('action("charge"', 'action("pay"')],
    ["another node id", source.replace("charge(item.cents)", 'charge.with({ id: "x" })(item.cents)')],
    ["another property", source.replace("{ total }", "{ sum: total }")],
  ])("%s", (_, text) => {
    expect(only(text).version).not.toBe(base.version);
  });
});

test("the version is the first 12 digits of the hash", () => {
  expect(base.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(base.version).toBe(base.hash.slice(0, 12));
});

function ids(text: string): string[] {
  return only(text).program.nodes.map(({ id }) => id);
}

describe("node ids", () => {
  test("say where the call stands", () => {
    expect(ids(source)).toEqual(["checkout/for.item/charge"]);
  });

  test("repeats are numbered, in order", () => {
    const twice = source.replace("return {", "await charge(1); await charge(2); return {");
    expect(ids(twice)).toEqual(["checkout/for.item/charge", "checkout/charge", "checkout/charge#2"]);
  });

  test("renaming other variables changes none", () => {
    expect(ids(source.replaceAll("total", "sum"))).toEqual(ids(source));
  });

  test("the ids of a helper start with its name and are there once", () => {
    const helper = `async function pay(n: number) { await charge(n); }`;
    const text = source
      .replace("interface", `${helper} interface`)
      .replace("return {", "await pay(1); await pay(2); return {");
    expect(ids(text)).toEqual(["checkout/for.item/charge", "pay/charge"]);
  });
});
