import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { array, assert, constantFrom, nat, property, record } from "fast-check";
import { expect, it } from "vitest";
import { compile } from "../../src/compile.ts";
import { everything } from "./everything.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const samples = readdirSync(folder).filter((name) => /^CAIRN\d{4}.*\.ts$/.test(name) && !name.startsWith("CAIRN1028"));
const accepted = ["closures", "destructuring", "durable", "functions", "loops", "operators", "steps", "try-finally"];
const sources = [
  everything,
  ...samples.map((name) => readFileSync(join(folder, name), "utf8")),
  ...accepted.map((name) => readFileSync(join(folder, "../samples", name, "main.ts"), "utf8")),
];

const tokens = (
  "( ) [ ] { } < > , ; : ? . ... => = == === ! !== + ++ - -- * ** / % & && | || ?? ?. ~ ^ @ # ` ' \" ${ } \\ // /* */ " +
  "async await break case catch class const continue default delete do else enum export extends finally for function " +
  "if import in instanceof interface let namespace new null of return static super switch this throw try type typeof " +
  "undefined using var void while with yield as satisfies is keyof declare abstract get set step workflow action " +
  "0 1n 1e400 08 0x 'use strict' /(?<a>b)\\k<a>/u `${1}` <T> \0 \uFEFF \u2028 \u0301 \\u0061 😀"
).split(" ");

/**
 * The samples with pieces of text cut out, doubled, moved and put in, of which most are no TypeScript at all. Each is
 * answered: with diagnostics or programs, never by throwing, and never by making a program that is not valid, which
 * would show as a limit that was not reached.
 */
it("answers any text", () => {
  let programs = 0;
  const edit = record({
    kind: constantFrom("cut", "double", "move", "insert", "insert"),
    at: nat(),
    length: nat(12),
    to: nat(),
    token: constantFrom(...tokens),
  });
  assert(
    property(nat(2 * sources.length), array(edit, { minLength: 1, maxLength: 3 }), (number, edits) => {
      let source = sources.at(-1 - (number < sources.length ? number : number % accepted.length)) ?? "";
      for (const { kind, at: place, length, to, token } of edits) {
        const at = place % (source.length + 1);
        const piece = source.slice(at, at + length);
        const target = to % (source.length + 1);
        if (kind === "cut" || kind === "move") source = source.slice(0, at) + source.slice(at + length);
        if (kind === "double" || kind === "move") source = source.slice(0, target) + piece + source.slice(target);
        if (kind === "insert") source = `${source.slice(0, at)} ${token} ${source.slice(at)}`;
      }
      const read = (id: string): string => (id === "a.ts" ? source : "export const standard = 5;");
      const resolve = (specifier: string): string | null => (specifier.startsWith(".") ? "b.ts" : null);
      const { workflows, diagnostics } = compile("a.ts", { read, resolve });
      expect(diagnostics.filter(({ code }) => code === "CAIRN1028")).toEqual([]);
      programs += workflows.length;
    }),
    { seed: 20_261_115, numRuns: 1_500 },
  );
  expect(programs).toBeGreaterThan(30);
});
