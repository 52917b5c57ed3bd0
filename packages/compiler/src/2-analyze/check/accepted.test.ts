import type { Node } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { diagnosticsOf } from "../../../test/rejected/diagnostics-of.ts";
import { everything } from "../../../test/rejected/everything.ts";
import { parse } from "../../1-parse/parse.ts";
import { DiagnosticList } from "../diagnostic-list.ts";
import { readModule } from "../link/read-module.ts";
import { dispositionOf } from "./accepted.ts";
import type { CheckContext } from "./context.ts";
import { walk } from "./walk.ts";

function saidAbout(source: string): string[] {
  const hooks = { resolve: () => null, read: () => source };
  return diagnosticsOf("accepted.ts", hooks).map(({ line, code, message }) => `${line}: ${code} ${message}`);
}

describe("the language that is accepted", () => {
  it("is accepted without a word", () => {
    expect(saidAbout(everything)).toEqual([]);
  });

  it("lets code that no workflow reaches do anything", () => {
    const source = `
      import { action, workflow } from "cairnjs";
      import fs from "node:fs";
      const started = Date.now();
      function unused() { return eval("1") + process.pid + started; }
      class Repository { find() { return fs.readFileSync("x"); } }
      export const load = action("load", async () => { setTimeout(unused, 1); return new Repository().find(); });
      export default workflow("main", async () => await load());
    `;
    expect(saidAbout(source)).toEqual([]);
  });

  it("reports problems in dead code and in every helper that is reached, not in others", () => {
    const source = `import { workflow } from "cairnjs";
      function near() { return far(); }
      const far = () => process.pid;
      function other() { return process.pid; }
      export default workflow("main", async () => { return near(); eval("x"); });`;
    expect(saidAbout(source).map((text) => text.slice(0, 12))).toEqual(["3: CAIRN2005", "5: CAIRN2014"]);
  });

  it("is closed: a node type that is not in the table is not accepted", () => {
    const future = { type: "PipelineExpression", start: 0, end: 3 } as unknown as Node;
    expect(dispositionOf(future)).toBe("outside");
    expect(dispositionOf({ type: "toString" } as unknown as Node)).toBe("outside");
    const module = readModule(parse("a.ts", "a;"));
    const diagnostics = new DiagnosticList();
    const context: CheckContext = {
      file: "a.ts",
      source: "a |> b",
      diagnostics,
      module,
      names: { resolve: () => null, isOpaque: () => false, stepCaptures: () => [] },
      unit: { role: "body", name: "a", module, node: future, global: null, usedAt: null },
      evaluated: null,
      settled: new Set(),
      uses: [],
      stepNames: new Map(),
    };
    walk(future, context);
    expect(diagnostics.sorted().map(({ code }) => code)).toEqual(["CAIRN1002"]);
  });
});
