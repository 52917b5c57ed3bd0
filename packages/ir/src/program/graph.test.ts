import { describe, expect, it } from "vitest";
import { graphOf, graphText } from "./graph.ts";
import { Op } from "./opcodes.ts";
import type { FunctionCode, Program, ProgramNode } from "./program.ts";

const fn = (name: string): FunctionCode => ({
  name,
  length: 0,
  parameters: 0,
  rest: false,
  registers: 0,
  async: true,
  kind: "arrow",
  captures: [],
  code: [Op.ReturnUndefined],
  handlers: [],
  texts: [],
});

const node = (id: string, kind: ProgramNode["kind"], name = ""): ProgramNode => {
  return { id, kind, name, function: 0, within: [] };
};

const program: Program = {
  format: 1,
  semantics: 1,
  name: "shop.order",
  functions: [fn("order"), fn("inner"), fn("inner")],
  constants: [],
  intrinsics: [],
  durables: [],
  classes: [],
  globals: [],
  init: -1,
  entry: 0,
  nodes: [
    node("order/if/charge", "action", "mail.charge"),
    node("order/compensate", "compensate"),
    node("order/refund", "action", "refund"),
    node("order/inner/sleep", "sleep"),
    node("pay/inner/child", "workflow", 'a "child"'),
  ],
  edges: [
    { from: -1, to: 0, label: 'then "a"' },
    { from: -1, to: -1, label: "else" },
    { from: 0, to: 1 },
    { from: 1, to: 2, label: "undo" },
    { from: 1, to: -1 },
    { from: -2, to: 3 },
    { from: 3, to: -2 },
    { from: -3, to: 4 },
  ],
  steps: [],
  debug: { files: [], lines: [], functions: [], sourceHash: "" },
};

describe("graphOf", () => {
  it("gives nodes by id, and a start and an end for each function", () => {
    const { nodes } = graphOf(program);
    expect(nodes.map(({ id, kind, label, functionName }) => [id, kind, label, functionName])).toEqual([
      ["order/if/charge", "action", "mail.charge", "order"],
      ["order/compensate", "compensate", "compensate", "order"],
      ["order/refund", "action", "refund", "order"],
      ["order/inner/sleep", "sleep", "sleep", "order"],
      ["pay/inner/child", "workflow", 'a "child"', "pay"],
      ["start:order", "start", "start", "order"],
      ["end:order", "end", "end", "order"],
      ["start:inner", "start", "start of inner", "order"],
      ["end:inner", "end", "end of inner", "order"],
      ["start:inner#2", "start", "start of inner", "pay"],
      ["end:inner#2", "end", "end of inner", "pay"],
    ]);
  });

  it("gives edges by id", () => {
    expect(graphOf(program).edges).toEqual([
      { from: "start:order", to: "order/if/charge", label: 'then "a"' },
      { from: "start:order", to: "end:order", label: "else" },
      { from: "order/if/charge", to: "order/compensate" },
      { from: "order/compensate", to: "order/refund", label: "undo" },
      { from: "order/compensate", to: "end:order" },
      { from: "start:inner", to: "order/inner/sleep" },
      { from: "order/inner/sleep", to: "end:inner" },
      { from: "start:inner#2", to: "pay/inner/child" },
    ]);
  });

  it("has a start and an end for a body without nodes, named by the workflow if it has no name", () => {
    const { nodes } = graphOf({ ...program, functions: [fn("")], nodes: [], edges: [{ from: -1, to: -1 }] });
    expect(nodes.map(({ id, functionName }) => [id, functionName])).toEqual([
      ["start:shop.order", "shop.order"],
      ["end:shop.order", "shop.order"],
    ]);
  });
});

describe("graphText", () => {
  it("is Mermaid text that no name can break, compensations dotted", () => {
    expect(graphText(graphOf(program))).toBe(
      [
        "flowchart TD",
        '  subgraph g0["order"]',
        '    n0["mail.charge"]',
        '    n1>"compensate"]',
        '    n2["refund"]',
        '    n3(["sleep"])',
        '    n5(("start"))',
        '    n6((("end")))',
        '    n7(("start of inner"))',
        '    n8((("end of inner")))',
        "  end",
        '  subgraph g1["pay"]',
        '    n4[["a #34;child#34;"]]',
        '    n9(("start of inner"))',
        '    n10((("end of inner")))',
        "  end",
        '  n5 -->|"then #34;a#34;"| n0',
        '  n5 -->|"else"| n6',
        "  n0 --> n1",
        '  n1 -.->|"undo"| n2',
        "  n1 --> n6",
        "  n7 --> n3",
        "  n3 --> n8",
        "  n9 --> n4",
        "",
      ].join("\n"),
    );
  });
});
