import { describe, expect, it } from "vitest";
import { compile, type CompileResult } from "./compile.ts";

function compiled(source: string, others: Readonly<Record<string, string>> = {}): CompileResult {
  return compile("mail.ts", {
    resolve: (specifier) => (specifier.startsWith("./") ? specifier.slice(2) : null),
    read: (id) => (id === "mail.ts" ? source : others[id]!),
  });
}

const withKey = (key: string, before = ""): string =>
  `import { action } from "cairnjs";\n${before}\n` +
  `export const send = action("mail.send", { concurrency: { limit: 1, key: ${key} } }, async (input: { tenant: string }) => input);\n`;

describe("functions that make keys", () => {
  it("are programs, with where they stand in the module", () => {
    const source = withKey("(input) => input.tenant");
    const { keys, diagnostics, workflows } = compiled(source);
    expect(diagnostics).toEqual([]);
    expect(workflows).toEqual([]);
    expect(keys.map(({ start, end }) => source.slice(start, end))).toEqual(["(input) => input.tenant"]);
    expect(keys[0]!.program).toMatchObject({ name: "key", nodes: [], debug: { lines: [[0]] } });
  });

  it("see helpers and constants, of other modules too", () => {
    const before = 'import { region } from "./region.ts";\nconst SUFFIX = "x";\n';
    const others = { "region.ts": "export const region = (tenant: string) => tenant.slice(0, 2);" };
    const { keys, diagnostics } = compiled(withKey("(input) => region(input.tenant) + SUFFIX", before), others);
    expect(diagnostics).toEqual([]);
    expect(keys).toHaveLength(1);
  });

  it.each([
    ["const NAME = (input: { tenant: string }) => input.tenant;", "(input) => NAME(input)"],
    ['const NAME = "all";', "() => NAME"],
  ])("see helpers and constants by any name: %s", (before, key) => {
    const named = (name: string): string => {
      const { keys, diagnostics } = compiled(withKey(key, before).replaceAll("NAME", name));
      expect(diagnostics).toEqual([]);
      const { debug: _debug, name: _name, ...program } = keys[0]!.program;
      return JSON.stringify(program).replaceAll(new RegExp(`(?<=["#])${name}"`, "g"), 'NAME"');
    };
    expect([named("key"), named("args")]).toEqual([named("anything"), named("anything")]);
  });

  it("are the same program wherever they stand", () => {
    const [one, other] = ["", "\n\n// moved\n\n"].map((before) => compiled(withKey("(input) => input.tenant", before)));
    expect(one!.keys[0]!.program).toEqual(other!.keys[0]!.program);
  });

  it("of concurrency and of rate, in constants of the module too", () => {
    const source = `import { action } from "cairnjs";
const LIMITS = { limit: 5, per: "1 s", key: function (a: string) { return a; } };
export const a = action("a", { rate: LIMITS, concurrency: { limit: 1, key: (x: string) => x.length } }, async (x: string) => x);
export const b = action("b", { rate: LIMITS }, async (x: string) => x);`;
    const { keys, diagnostics } = compiled(source);
    expect(diagnostics).toEqual([]);
    expect(keys.map(({ start, end }) => source.slice(start, end))).toEqual([
      "function (a: string) { return a; }",
      "(x: string) => x.length",
    ]);
  });

  it("are told of like bodies, at their own place", () => {
    const source = withKey("(input) => process.env[input.tenant]");
    const { keys, diagnostics } = compiled(source);
    expect(keys).toEqual([]);
    expect(diagnostics).toHaveLength(1);
    const [{ start, line, file }] = diagnostics as [(typeof diagnostics)[number]];
    expect({ text: source.slice(start, start + 7), line, file }).toEqual({ text: "process", line: 3, file: "mail.ts" });
  });

  it("that call actions are refused", () => {
    const before = 'const find = action("find", async (x: string) => x);';
    const { keys, diagnostics } = compiled(withKey("async (input) => await find(input.tenant)", before));
    expect(keys).toEqual([]);
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["CAIRN5011", "The function concurrency.key of the action mail.send calls `find`, which takes time."],
    ]);
  });

  it.each([
    ["a name", "tenantOf", "const tenantOf = (input: { tenant: string }) => input.tenant;"],
    ["a call", "make()", "const make = () => (input: { tenant: string }) => input.tenant;"],
  ])("that do not stand in their place are refused: %s", (_, key, before) => {
    const { diagnostics } = compiled(withKey(key, before));
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["CAIRN5011", "error"]]);
    expect(diagnostics[0]!.message).toContain("concurrency.key of the action mail.send");
  });

  it("a module with a mistake elsewhere is told of it once", () => {
    const source = `${withKey("(input) => input.tenant")}import { workflow } from "cairnjs";
export const flow = workflow("w", async () => process.env.HOME);`;
    expect(compiled(source).diagnostics.map(({ code }) => code)).toHaveLength(1);
  });
});
