import { describe, expect, it } from "vitest";
import { type CompiledDefinition, definitionOf } from "../definition.ts";
import { workflow } from "../workflow.ts";
import { compiledWorkflow, registerSteps } from "./compiled-workflow.ts";
import type { EmbeddedModule } from "./embedded-module.ts";

const steps = [
  { action: "w/own", captures: ["n"], file: "w.ts", start: 1, end: 2 },
  { action: "w/helped", captures: [], file: "helper.ts", start: 3, end: 4 },
];

class Declined extends Error {}

function embedded(about: Partial<EmbeddedModule> = {}): EmbeddedModule {
  const program = JSON.stringify({ name: "w", steps, debug: { files: ["w.ts", "helper.ts"] } });
  const modules = { "helper.ts": "helper.ts#1" };
  return {
    id: "w.ts#1",
    module: "file:///w.ts",
    places: ["1:2"],
    errors: () => ({ Declined }),
    lifted: () => async (captures) => (captures as { n: unknown[] }).n.push(1),
    workflows: [
      { hash: "abcdef", inputSchema: { type: "string" }, input: "required", version: "abc", program, modules },
    ],
    keys: [],
    sources: { "w.ts": "of w", "helper.ts": "of helper", "other.ts": "of another workflow" },
    ...about,
  };
}

function compiledOf(value: unknown): CompiledDefinition {
  const definition = definitionOf(value);
  if (definition?.kind !== "workflow" || definition.compiled === undefined) throw new Error("It was not compiled");
  return definition.compiled;
}

describe("compiledWorkflow", () => {
  it("returns the workflow itself, which knows its program from then on, `with` other options too", () => {
    const plain = workflow("w", async () => 1);
    const before = plain.with({});
    expect(compiledWorkflow(plain, embedded, 0)).toBe(plain);
    expect(compiledOf(plain)).toMatchObject({ hash: "abcdef", version: "abc", module: "file:///w.ts" });
    expect(compiledOf(plain)).toMatchObject({ inputSchema: { type: "string" }, input: "required" });
    expect([...compiledOf(plain).sources]).toEqual([
      ["w.ts", "of w"],
      ["helper.ts", "of helper"],
    ]);
    expect(compiledOf(before).program).toMatchObject({ name: "w" });
    expect(compiledOf(plain).program).toBe(compiledOf(plain).program);
  });

  it("finds steps of other modules once these are loaded", () => {
    const { steps } = compiledOf(
      compiledWorkflow(
        workflow("w", async () => 1),
        embedded,
        0,
      ),
    );
    expect([...steps.keys()]).toEqual(["w/own"]);
    registerSteps(() => embedded({ id: "helper.ts#1", places: ["3:4"], lifted: () => async () => "helped" }));
    const later = compiledOf(
      compiledWorkflow(
        workflow("w", async () => 1),
        embedded,
        0,
      ),
    ).steps;
    expect([...later.keys()]).toEqual(["w/own", "w/helped"]);
  });

  it("knows the error classes of the module, once they exist", () => {
    const errorsOf = (errors: EmbeddedModule["errors"]): unknown =>
      compiledOf(
        compiledWorkflow(
          workflow("w", async () => 1),
          () => embedded({ errors }),
          0,
        ),
      ).errorClasses;
    expect(errorsOf(() => ({ Declined }))).toEqual(new Map([["Declined", Declined]]));
    const early = errorsOf(() => ({ Later }));
    class Later extends Error {}
    expect(early).toEqual(new Map());
  });

  it("freezes what a step gets", async () => {
    const { steps } = compiledOf(
      compiledWorkflow(
        workflow("w", async () => 1),
        embedded,
        0,
      ),
    );
    await expect(steps.get("w/own")?.({ n: [] })).rejects.toThrow("not extensible");
  });

  it("passes on what is no workflow", () => {
    const mock = (): number => 1;
    expect(compiledWorkflow(mock, embedded, 0)).toBe(mock);
  });
});
