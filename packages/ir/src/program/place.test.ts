import { describe, expect, it } from "vitest";
import { placeOf } from "./place.ts";

const debug = {
  files: ["a.ts", "b.ts"],
  lines: [[3], [5, 1, 4]],
  functions: [
    { file: 1, spans: [2, 0, 4, 5, 9, 8], variables: [] },
    { file: 0, spans: [], variables: [] },
  ],
  sourceHash: "",
};

describe("placeOf", () => {
  it("is that of the last span at or before the position", () => {
    const lines = [2, 3, 4, 8, 9, 100].map((position) => placeOf(debug, 0, position));
    expect(lines.map(({ offset, line, column }) => [offset, line, column])).toEqual([
      [0, 1, 1],
      [0, 1, 1],
      [5, 2, 1],
      [5, 2, 1],
      [8, 3, 3],
      [8, 3, 3],
    ]);
    expect(lines[0]?.file).toBe("b.ts");
  });

  it("is unknown before the first span, without spans, and of no function", () => {
    const unknown = { offset: -1, line: 0, column: 0 };
    expect(placeOf(debug, 0, 1)).toEqual({ file: "b.ts", ...unknown });
    expect(placeOf(debug, 1, 5)).toEqual({ file: "a.ts", ...unknown });
    expect(placeOf(debug, 7, 5)).toEqual({ file: "", ...unknown });
  });
});
