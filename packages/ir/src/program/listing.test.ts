import { describe, expect, it } from "vitest";
import { programHash } from "./hash.ts";
import { listPrelude, listProgram } from "./listing.ts";
import { Op } from "./opcodes.ts";
import type { Program } from "./program.ts";

const body = {
  name: "greet",
  length: 1,
  parameters: 1,
  rest: false,
  registers: 3,
  async: true,
  kind: "arrow",
  captures: [],
  code: [Op.Durable, 1, 0, Op.Call, 2, 1, -1, 0, 1, Op.Await, 2, 2, Op.Return, 2, Op.Const, 2, 1, Op.Jump, 12],
  handlers: [{ start: 3, end: 12, target: 14, register: 2 }],
  texts: [[3, 0]],
} as const;

const program: Program = {
  format: 1,
  semantics: 1,
  name: "greet",
  functions: [body],
  constants: ["send", { bigint: "5" }],
  intrinsics: [],
  durables: [{ kind: "action", name: "mail.send", node: 0 }],
  classes: [{ name: "Bounced", parent: { intrinsic: "Error" }, constructorFunction: 0 }],
  globals: [],
  init: -1,
  entry: 0,
  nodes: [
    { id: "greet/send", kind: "action", name: "mail.send", function: 0, within: [] },
    { id: "wait/sleep", kind: "sleep", name: "", function: 0, within: ["while"] },
  ],
  edges: [
    { from: 0, to: 1, label: 'a "b"' },
    { from: 1, to: 0 },
  ],
  steps: [{ action: "greet/log", captures: ["name"], file: "greet.ts", start: 1, end: 2 }],
  debug: {
    files: ["greet.ts"],
    lines: [[30, 40]],
    functions: [{ file: 0, spans: [0, 30, 3, 31, 12, 60], variables: [] }],
    sourceHash: "x",
  },
};

describe("listProgram", () => {
  it("shows instructions with names, constants, labels and handlers", () => {
    expect(listProgram({ ...program, debug: { files: [], lines: [], functions: [], sourceHash: "" } })).toBe(
      [
        "program greet, format 1, semantics 1",
        "",
        "function 0 greet: async arrow, parameters 1, length 1, registers 3, entry",
        "   0  Durable           r1 action mail.send @greet/send",
        "L1:",
        '   3  Call              r2 r1 - (r0)   ; "send"',
        "   9  Await             r2 r2",
        "L2:",
        "  12  Return            r2",
        "L3:",
        "  14  Const             r2 5n",
        "  17  Jump              L2",
        "  handler L1 to L2: L3, error in r2",
        "",
        "class Bounced extends Error, constructor function 0",
        "",
        "step greet/log (name)",
        "",
      ].join("\n"),
    );
  });

  it("shows source lines where the sources are given, each once", () => {
    const source = "const greet = async (name) =>\n  await send(name);\n\nexport default greet;\n";
    const lines = listProgram(program, { "greet.ts": source }).split("\n");
    expect(lines.filter((line) => line.startsWith("  ;"))).toEqual([
      "  ; greet.ts:2 await send(name);",
      "  ; greet.ts:4 export default greet;",
    ]);
    expect(listProgram(program)).toContain("  ; greet.ts offset 30\n");
  });

  it("shows a prelude by the names of its exports", () => {
    const { name: _name, ...rest } = body;
    const code = [Op.Global, 1, 0, Op.Host, 2, 0, 0, 2, Op.Return, 2];
    const fn = { ...rest, name: "map", code, handlers: [], texts: [] };
    const prelude = {
      semantics: 1,
      functions: [fn],
      constants: [],
      intrinsics: [],
      hosts: ["toObject"],
      exports: { map: 0 },
    };
    expect(listPrelude(prelude)).toContain(
      "export map\n   0  Global            r1 map\n   3  Host              r2 toObject (r0 r1)",
    );
  });
});

describe("programHash", () => {
  const hash = programHash(program);

  it("is the same whatever the order of fields, and for JSON read back", () => {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const reversed = Object.fromEntries(Object.entries(program).reverse()) as unknown as Program;
    expect(programHash(reversed)).toBe(hash);
    expect(programHash(JSON.parse(JSON.stringify(program)))).toBe(hash);
  });

  it("does not see where things stand in the source", () => {
    expect(programHash({ ...program, debug: { files: ["b.ts"], lines: [[]], functions: [], sourceHash: "y" } })).toBe(
      hash,
    );
    const steps = program.steps.map((step) => ({
      ...step,
      file: "other.ts",
      start: 100,
      end: 200,
    }));
    expect(programHash({ ...program, steps })).toBe(hash);
  });

  it("sees everything else", () => {
    const changes: Partial<Program>[] = [
      { name: "other" },
      { semantics: 2 },
      { constants: ["send", { bigint: "6" }] },
      { constants: ["send", 5] },
      { functions: [{ ...body, code: [Op.ReturnUndefined] }] },
      { nodes: program.nodes.map((node) => ({ ...node, id: `${node.id}#2` })) },
      { edges: [] },
      { steps: [] },
      { steps: program.steps.map((step) => ({ ...step, captures: [] })) },
      { intrinsics: ["Math"] },
    ];
    const hashes = changes.map((change) => programHash({ ...program, ...change }));
    expect(new Set([hash, ...hashes]).size).toBe(changes.length + 1);
  });

  it("tells a lone surrogate from the replacement character", () => {
    expect(programHash({ ...program, constants: ["\ud800"] })).not.toBe(
      programHash({ ...program, constants: ["\ufffd"] }),
    );
  });
});
