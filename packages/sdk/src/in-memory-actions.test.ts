import { compile } from "@cairnjs/compiler";
import { expect, it } from "vitest";
import { z } from "zod";
import { action, definitionOf, depends, middleware } from "./index.ts";
import { runInMemory } from "./testing/internal.ts";

const SOURCE = `
  import { action, workflow } from "cairnjs";
  const charge = action("charge", async (id, cents) => {});
  export default workflow("main", async () => {
    const charged = await charge("ada", 5);
    try { await charge("ada", "much"); } catch (error) { return { charged, name: error.name, issues: error.issues }; }
  });`;

it("runs handlers in memory as everywhere: schemas, needs and middleware included", async () => {
  const notes: string[] = [];
  const bank = depends(function* () {
    yield { charge: (id: string, cents: number) => `${id} paid ${cents}` };
    notes.push("disposed");
  });
  const note = middleware(async (call, next) => {
    notes.push(`${call.name} ${call.args.join()}`);
    return next();
  });
  const charge = action(
    "charge",
    { input: [z.string(), z.number().transform((cents) => cents * 100)], needs: { bank }, use: [note] },
    async (id, cents, { bank }) => bank.charge(id, cents),
  );
  const hooks = { resolve: () => null, read: () => SOURCE };
  const { workflows } = compile("main.ts", hooks);
  const definition = definitionOf(charge);
  const report = await runInMemory({
    program: workflows[0]!.program,
    actions: () => (definition?.kind === "action" ? definition : undefined),
  });
  expect(report.result).toEqual({
    charged: "ada paid 500",
    name: "InvalidInput",
    issues: [{ path: [1], message: expect.stringContaining("expected number") }],
  });
  expect(notes).toEqual(["charge ada,500", "disposed"]);
});
