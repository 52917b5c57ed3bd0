import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { array, assert, nat, property, record } from "fast-check";
import type { Node } from "oxc-parser";
import { expect, it } from "vitest";
import { children } from "../../src/1-parse/children.ts";
import { isTypeOnly } from "../../src/1-parse/erase.ts";
import { parse } from "../../src/1-parse/parse.ts";
import { compile } from "../../src/compile.ts";
import { everything } from "./everything.ts";

const folder = dirname(fileURLToPath(import.meta.url));
const samples = readdirSync(folder).filter((name) => /^CAIRN\d{4}.*\.ts$/.test(name) && !name.startsWith("CAIRN1028"));
const sources = [everything, ...samples.map((name) => readFileSync(join(folder, name), "utf8"))];

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The places of one kind in a source, as text that can stand in another one. */
function pieces(source: string, kind: RegExp, wrap: (text: string) => string): Piece[] {
  const found: Piece[] = [];
  const visit = (node: Node): void => {
    if (isTypeOnly(node)) return;
    const { start, end } = node;
    if (kind.test(node.type)) found.push({ start, end, text: wrap(source.slice(start, end)) });
    for (const child of children(node)) visit(child);
  };
  visit(parse("a.ts", source).program);
  return found;
}

const EXPRESSION = /Expression$|^Literal$|^TemplateLiteral$/;
const STATEMENT = /Statement$|^VariableDeclaration$|^FunctionDeclaration$/;
const places = sources.map((source) => [
  pieces(source, EXPRESSION, (text) => `(${text})`),
  pieces(source, STATEMENT, (text) => text),
]);
const pools = [0, 1].map((kind) => places.flatMap((kinds) => kinds[kind] ?? []));

/**
 * Expressions and statements of the samples in each other's places: the compiler answers each with diagnostics or
 * with valid programs: the compiler calls one that is not beyond its limits (CAIRN1028). CAIRN1002 may come from no other place than the one sample that has
 * it, else the lowering met something that the checks had let through.
 */
it("answers any mixture of the samples with diagnostics or with a valid program", () => {
  let programs = 0;
  const edit = record({ kind: nat(1), at: nat(), by: nat() });
  assert(
    property(nat(), array(edit, { minLength: 1, maxLength: 3 }), (sourceNumber, edits) => {
      const number = sourceNumber % (2 * sources.length) < sources.length ? 0 : sourceNumber % sources.length;
      let source = sources[number] ?? "";
      let before = Infinity;
      const chosen = edits.map(({ kind, at, by }) => {
        const here = places[number]?.[kind] ?? [];
        const pool = pools[kind] ?? [];
        return { place: here[at % here.length], text: pool[by % pool.length]?.text ?? "" };
      });
      chosen.sort((a, b) => (b.place?.start ?? 0) - (a.place?.start ?? 0));
      for (const { place, text } of chosen) {
        if (place === undefined || place.end > before) continue;
        source = source.slice(0, place.start) + text + source.slice(place.end);
        before = place.start;
      }
      const read = (id: string): string => (id === "a.ts" ? source : "export const standard = 5;");
      const resolve = (specifier: string): string | null => (specifier.startsWith(".") ? "b.ts" : null);
      const { workflows, diagnostics } = compile("a.ts", { read, resolve });
      const unexpected = diagnostics.filter(
        ({ code, message }) => (code === "CAIRN1002" && !message.startsWith("`import")) || code === "CAIRN1028",
      );
      expect(unexpected).toEqual([]);
      programs += workflows.length;
    }),
    { seed: 20_261_115, numRuns: 800 },
  );
  expect(programs).toBeGreaterThan(150);
});
