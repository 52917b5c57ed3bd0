import { describe, expect, it } from "vitest";
import { compile } from "../../compile.ts";

/** What is said about who uses the code of each problem, by the problem's file and line. */
function usesIn(files: Readonly<Record<string, string>>): Record<string, unknown> {
  const { diagnostics } = compile("main.ts", {
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => files[id] ?? "",
  });
  return Object.fromEntries(diagnostics.map(({ code, file, line, usedBy }) => [`${code} ${file}:${line}`, usedBy]));
}

const use = (workflow: string, line: number, column: number, others = 0) => {
  return { workflow, file: "main.ts", line, column, others };
};

describe("what a workflow uses", () => {
  it("is told with the workflow and the name in its body that leads there, through other helpers too", () => {
    const uses = usesIn({
      "main.ts": `import { workflow } from "cairnjs";
import { outer } from "./helpers.ts";
const REGION = process.env.REGION;
export default workflow("orders.ship", async () => {
  const region = REGION;
  return [region, outer()];
});`,
      "helpers.ts": "export const outer = () => inner();\nfunction inner() {\n  return fetch('x');\n}",
    });
    expect(uses).toEqual({
      "CAIRN2006 helpers.ts:3": use("orders.ship", 6, 19),
      "CAIRN3005 main.ts:3": use("orders.ship", 5, 18),
    });
  });

  it("is told once, with the first workflow and how many others there are", () => {
    const uses = usesIn({
      "main.ts": `import { workflow } from "cairnjs";
const helper = () => Symbol();
export const a = workflow("a", async () => helper());
export const b = workflow("b", async () => [helper(), helper()]);
export const c = workflow("c", async () => helper());
export const d = workflow("d", async () => 1);`,
    });
    expect(uses).toEqual({ "CAIRN2011 main.ts:2": use("a", 3, 44, 2) });
  });

  it("is not told of bodies, also of one that another workflow calls, and of what is wrong by itself", () => {
    const uses = usesIn({
      "main.ts": `import { action, workflow } from "cairnjs";
const tools = { search: action("search", () => 1) };
async function body(): Promise<unknown> {
  return Symbol();
}
export const first = workflow("first", async () => [await body(), await tools.search()]);
export const second = workflow("second", body);
export const third = workflow("third", async () => fetch("x"));`,
    });
    expect(uses).toEqual({ "CAIRN5001 main.ts:2": null, "CAIRN2011 main.ts:4": null, "CAIRN2006 main.ts:8": null });
  });
});
