import { validateProgram } from "@cairnjs/ir";
import { describe, expect, test } from "vitest";
import { parse } from "../src/1-parse/parse.ts";
import { compile } from "../src/index.ts";
import { body, nestedSources } from "./nested-sources.ts";

/** Codes of the errors; a source without any gives valid programs. */
function codesOf(source: string, file = "main.ts"): string[] {
  const { workflows, diagnostics } = compile(file, { resolve: () => null, read: () => source });
  for (const { program } of workflows) validateProgram(program);
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  if (codes.length === 0 && workflows.length === 0) throw new Error("neither a program nor an error");
  return [...new Set(codes)];
}

function action(statements: string): string {
  return `${body("")} action("act", async () => { let x: any, a: any, b: any; ${statements} });`;
}

function module(statements: string): string {
  return `${body("")} let x: any, a: any, b: any; ${statements}`;
}

describe.each(Object.entries(nestedSources))("nesting of %s", (_, make) => {
  test("thousands of levels are answered with a diagnostic, wherever they stand", () => {
    const isRegularExpression = make === nestedSources["groups"];
    expect(codesOf(body(make(100_000)))).toEqual(["CAIRN1028"]);
    for (const place of [body, action, module]) {
      const isChecked = !isRegularExpression || place === body;
      expect(codesOf(place(make(10_000)))).toEqual(isChecked ? ["CAIRN1028"] : []);
    }
  });

  test("a few levels are not mistaken for many", () => {
    expect(codesOf(body(make(20)))).not.toContain("CAIRN1028");
  });

  test("what the limit lets through compiles with half of the stack", () => {
    let low = 20;
    let high = 3_000;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (parse("main.ts", body(make(middle))).problems.length === 0) low = middle;
      else high = middle;
    }
    expect(low).toBeGreaterThan(100);
    const depth = make === nestedSources["groups"] ? 250 : low;
    expect(withHalfTheStack(() => codesOf(body(make(depth))))).toEqual(codesOf(body(make(20))));
  });
});

/** Calls itself until nearly half of the stack is used. */
function withHalfTheStack<T>(work: () => T): T {
  let levels = 0;
  const descend = (level: number): T => {
    levels = Math.max(levels, level);
    return level === target ? work() : descend(level + 1);
  };
  let target = Infinity;
  expect(() => descend(0)).toThrow(RangeError);
  target = Math.floor(levels * 0.45);
  return descend(0);
}

describe("long chains that people write", () => {
  test.each([
    ["a chain of 1,000 else if, with a call in each", elseIfs(1_000)],
    ["a chain of 500 properties", nestedSources["members"]?.(500)],
    ["a chain of 300 method calls", nestedSources["methodCalls"]?.(300)],
    ["a sum of 900 terms", nestedSources["sums"]?.(900)],
    ["a condition of 400 terms", nestedSources["conditions"]?.(400)],
    ["a switch of 5,000 cases", `switch (a) {${Array.from({ length: 5_000 }, (_, i) => `case ${i}:\n`).join("")}}`],
    ["a union of 5,000 types", `let t: ${Array.from({ length: 5_000 }, (_, i) => `| "t${i}"`).join("\n")};`],
    ["a template of 5,000 parts", `x = \`${"${a} text ".repeat(5_000)}\`;`],
    ["a list of 20,000 lists", `x = [${"[1, a], ".repeat(20_000)}];`],
    ["lines without semicolons", "x = a + 1\nif (x) b.push(x)\nelse b.pop()\n".repeat(5_000)],
    ["all on one line", "if(a){x=1}else{x=2}for(const e of b){h(e)}".repeat(5_000)],
    [
      "brackets in strings, comments and patterns",
      `x = "((((" + '[[[[' + \`{{{{\`; // ((((\n/* (( */ /[([{]\\(/.test(a);\n`.repeat(2_000),
    ],
  ])("%s", (_, statements) => {
    expect(codesOf(body(statements ?? ""))).toEqual([]);
  });

  function elseIfs(n: number): string {
    const links = Array.from({ length: n }, (_, i) => `if (a === ${i}) { x = await act(${i}); } else `);
    return `const act = async (n: number) => n; ${links.join("")} x = 0;`;
  }
});

describe("odd texts", () => {
  const plain = body("x = 1;");
  test.each<[string, string, string[]]>([
    ["a byte order mark", `\uFEFF${plain}`, []],
    ["carriage returns", plain.replaceAll("\n", "\r\n"), []],
    ["lone carriage returns", plain.replaceAll("\n", "\r"), []],
    ["other line breaks", plain.replaceAll("\n", "\u2028"), []],
    ["a lone surrogate in a string", body('x = "\uD800";'), ["CAIRN1001"]],
    ["a lone surrogate in code", body("x = \uDC00;"), ["CAIRN1001"]],
    ["a lone surrogate in a comment", body("// \uD83D"), ["CAIRN1001"]],
    ["a NUL in a string", body('x = "\0";'), []],
    ["a NUL in code", body("x = \0;"), ["CAIRN1001"]],
    ["a huge string", body(`x = "${"y".repeat(3_000_000)}";`), []],
    ["a string beyond the limit of programs", body(`x = "${"y".repeat(16_000_001)}";`), ["CAIRN1028"]],
    ["a huge template", body(`x = \`${"\\` $ { ".repeat(300_000)}\`;`), []],
    ["a huge comment", body(`/* ${"( ".repeat(1_000_000)} */`), []],
    ["a huge name", body(`const ${"n".repeat(100_000)} = 1;`), []],
    [
      "a name beyond the limit of programs",
      `import { workflow } from "cairnjs"; export default workflow("${"n".repeat(20_000)}", async () => 1);`,
      ["CAIRN1028"],
    ],
    [
      "more variables than registers",
      body(Array.from({ length: 70_000 }, (_, i) => `let v${i};`).join("\n")),
      ["CAIRN1028"],
    ],
    ["an unclosed string", 'const a = "abc\\', ["CAIRN1001"]],
    ["an unclosed template", "const a = `abc ${", ["CAIRN1001"]],
    ["an unclosed comment", "/* abc", ["CAIRN1001"]],
    ["an unclosed pattern", "const a = /abc[/\\", ["CAIRN1001"]],
    ["only closing brackets", ")]}".repeat(50_000), ["CAIRN1001"]],
    ["only opening brackets", "([{".repeat(50_000), ["CAIRN1028"]],
    ["slashes", `x = ${"/ ".repeat(2_001)}`, ["CAIRN1001"]],
    ["a hashbang", `#!/usr/bin/env node (((\n${plain}`, []],
  ])("%s", (_, source, codes) => {
    expect(codesOf(source)).toEqual(codes);
  });

  test("no text at all is no error", () => {
    const { workflows, diagnostics } = compile("main.ts", { resolve: () => null, read: () => "" });
    expect({ workflows, diagnostics }).toEqual({ workflows: [], diagnostics: [] });
  });

  test("a lone surrogate that is escaped stays what it is", () => {
    const source = body('x = ["a\\uD800b", `c\\uDC00${x}`, { "\\uDFFF": 1 }];');
    const { workflows } = compile("main.ts", { resolve: () => null, read: () => source });
    expect(workflows[0]?.program.constants).toEqual(expect.arrayContaining(["a\uD800b", "c\uDC00", "\uDFFF"]));
  });
});
