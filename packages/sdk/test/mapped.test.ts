import type { Program } from "@cairnjs/ir";
import { describe, expect, it } from "vitest";
import { definitionOf } from "../src/index.ts";
import { testRun } from "../src/testing/index.ts";
import { runInMemory } from "../src/testing/internal.ts";
import { declaredAction, declaredWorkflow } from "../src/declared.ts";
import { forged, mapped, started } from "./workflows/mapped.ts";

const ways: Readonly<Record<string, (workflow: typeof mapped | typeof forged, input?: string[]) => Promise<unknown>>> =
  {
    natively: (workflow, input) => Reflect.apply(workflow, undefined, [input]),
    "in a test run": (workflow, input) => testRun(workflow as typeof mapped, { input: input! }).result,
    "in memory": async (workflow, input) => {
      const children = new Map(["mapped.nothing", "mapped.echo"].map((name) => [name, programOf(name)]));
      const program = programOf(definitionOf(workflow)!.name);
      return (await runInMemory({ program, input, actions: declaredAction, children })).result;
    },
  };

function programOf(name: string): Program {
  return declaredWorkflow(name)!.compiled!.program;
}

describe.each(Object.entries(ways))("%s", (_, run) => {
  it("actions and workflows are functions that ignore what they do not take", async () => {
    const each = ["plain a", "stamp a", "checked a", "stamp checked a", "nothing", "echo a"];
    const expected = each.flatMap((text) => {
      const both = [text, text.replace(/a$/, "b")];
      return [...both, ...both];
    });
    expect(await run(mapped, ["a", "b"])).toEqual([...expected, "stamp a 0", "stamp b 1", "stamp eve undefined"]);
  });

  it("no argument stands in for what an action needs", async () => {
    expect(await run(forged)).toEqual(["stamp ada", "stamp ada", "stamp checked ada", "stamp checked ada"]);
  });
});

it("a workflow that is started with an input it does not take refuses it", async () => {
  const message = "mapped.nothing: input: given to a workflow that takes none";
  expect(await started()).toBe(message);
  expect(await testRun(started).result).toBe(message);
});
