import { array, assert, constantFrom, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { placeOf } from "@cairnjs/ir";
import { codeFrame, positionAt, renderDiagnostic, report } from "./diagnostic.ts";
import { LineTable } from "./line-table.ts";
import { DiagnosticList } from "./diagnostic-list.ts";

const source = 'const a = 1;\r\n\tthis.x();\nlast("line")';

function collect(): { file: string; source: string; diagnostics: DiagnosticList } {
  return { file: "a.ts", source, diagnostics: new DiagnosticList() };
}

describe("report", () => {
  it("fills placeholders and finds line and column", () => {
    const sink = collect();
    report(sink, "CAIRN3001", { start: 6, end: 7 }, { name: "a", kind: "let" });
    expect(sink.diagnostics.sorted()).toEqual([
      {
        code: "CAIRN3001",
        severity: "error",
        file: "a.ts",
        line: 1,
        column: 7,
        start: 6,
        end: 7,
        message: "a is a module-level `let`, whose value at the time of a run is not known.",
        hint: "Declare it with `const`, or pass the value in the workflow's input.",
        usedBy: null,
      },
    ]);
  });

  it("keeps the same problem at the same place once", () => {
    const sink = collect();
    for (let i = 0; i < 2; i += 1) report(sink, "CAIRN1008", { start: 15, end: 19 });
    report(sink, "CAIRN1008", { start: 16, end: 19 });
    expect(sink.diagnostics.sorted()).toHaveLength(2);
    expect(sink.diagnostics.errorsMet).toBe(3);
  });

  it("does not read placeholders in what was filled in", () => {
    const sink = collect();
    report(sink, "CAIRN2001", { start: 0, end: 1 }, { name: "{name}$&" });
    expect(sink.diagnostics.sorted()[0]?.message).toContain("The name {name}$& is not declared");
  });
});

describe("positionAt", () => {
  it("agrees with splitting at every kind of line break", () => {
    const character = constantFrom("a", "\n", "\r", "\r\n", "\u2028", "\u2029", "😀", "\t");
    assert(
      property(array(character), nat(), (characters, position) => {
        const text = characters.join("");
        const offset = Math.min(position, text.length);
        const isInsideBreak = text[offset - 1] === "\r" && text[offset] === "\n";
        if (isInsideBreak) return;
        const lines = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
        const place = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
        expect(positionAt(text, offset)).toEqual(place);
        // What is kept in programs gives the same.
        const debug = { files: ["a.ts"], lines: [new LineTable(text).lengths], sourceHash: "" };
        expect(placeOf({ ...debug, functions: [{ file: 0, spans: [0, offset], variables: [] }] }, 0, 0)).toMatchObject(
          place,
        );
      }),
      { seed: 20_261_115, numRuns: 300 },
    );
  });
});

describe("renderDiagnostic", () => {
  it("shows place, code frame and hint", () => {
    const sink = collect();
    report(sink, "CAIRN1008", { start: 15, end: 19 });
    const [diagnostic] = sink.diagnostics.sorted();
    expect(diagnostic && renderDiagnostic(diagnostic, source)).toBe(
      [
        "error CAIRN1008: `arguments` is not available in workflow bodies.",
        "  at a.ts:2:2",
        "  1 | const a = 1;",
        "> 2 | \tthis.x();",
        "    | \t^^^^",
        '  3 | last("line")',
        "  Take the arguments as a rest parameter: `(...args) => …`.",
      ].join("\n"),
    );
  });

  it("underlines to the end of the line when the range goes on, and at least one column", () => {
    expect(codeFrame("ab\ncd", { start: 1, end: 4 })).toBe("> 1 | ab\n    |  ^\n  2 | cd");
    expect(codeFrame("ab", { start: 2, end: 2 })).toBe("> 1 | ab\n    |   ^");
    expect(codeFrame("", { start: 0, end: 0 })).toBe("> 1 |\n    | ^");
  });

  it("cuts very long lines around the problem", () => {
    const frame = codeFrame(`${"x".repeat(5_000)}BAD${"y".repeat(5_000)}`, { start: 5_000, end: 5_003 });
    const [line, carets] = frame.split("\n");
    expect(line?.length).toBeLessThan(140);
    expect(carets?.indexOf("^^^")).toBe(line?.indexOf("BAD"));
  });
});

describe("a list of diagnostics", () => {
  it("orders by file, then from top to bottom", () => {
    const sink = collect();
    for (const start of [20, 3, 11]) report(sink, "CAIRN1008", { start, end: start + 1 });
    const other = { ...sink, file: "A.ts" };
    report(other, "CAIRN1008", { start: 5, end: 6 });
    expect(sink.diagnostics.sorted().map(({ file, start }) => `${file} ${start}`)).toEqual([
      "A.ts 5",
      "a.ts 3",
      "a.ts 11",
      "a.ts 20",
    ]);
  });

  it("knows where errors are, not warnings", () => {
    const sink = collect();
    report(sink, "CAIRN4003", { start: 2, end: 4 }, { call: "f()", awaited: "f()" });
    expect(sink.diagnostics.hasErrorWithin("a.ts", { start: 0, end: 9 })).toBe(false);
    report(sink, "CAIRN1008", { start: 15, end: 19 });
    expect(sink.diagnostics.hasErrorWithin("a.ts", { start: 15, end: 19 })).toBe(true);
    expect(sink.diagnostics.hasErrorWithin("a.ts", { start: 16, end: 30 })).toBe(false);
    expect(sink.diagnostics.hasErrorWithin("b.ts", { start: 0, end: 30 })).toBe(false);
  });
});
