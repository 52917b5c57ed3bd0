import { describe, expect, it } from "vitest";
import { metadataOf } from "./metadata.ts";
import { select } from "./select.ts";
import { withoutStatements } from "./trim.ts";

describe("the head of a test", () => {
  it("is read in both ways of writing lists", () => {
    const inline = metadataOf("/*---\nflags: [async, onlyStrict]\nincludes: [a.js, b.js]\n---*/");
    expect([...inline.flags]).toEqual(["async", "onlyStrict"]);
    expect(inline.includes).toEqual(["a.js", "b.js"]);
    expect(metadataOf("/*---\nincludes:\n  - a.js\n  - b.js\n---*/").includes).toEqual(["a.js", "b.js"]);
  });

  it("tells when an error must come", () => {
    const head = "/*---\nnegative:\n  phase: parse\n  type: SyntaxError\nflags: [raw]\n---*/";
    expect(metadataOf(head).negative).toEqual({ phase: "parse", type: "SyntaxError" });
    expect(metadataOf("x;").negative).toBeNull();
  });
});

describe("trimming", () => {
  const trim = (inner: string, ...marks: string[]): string | null => {
    const module = `const before = 1;\nexport default async () => {\n${inner}\n};\n`;
    return withoutStatements(
      module,
      inner,
      marks.map((mark) => module.indexOf(mark)),
    );
  };

  it("cuts the innermost statement of a list", () => {
    expect(trim("a(); if (x) { b(); bad(); } c();", "bad")).toBe("a(); if (x) { b(); ; } c();");
    expect(trim("switch (x) { case 1: bad(); a(); }", "bad")).toBe("switch (x) { case 1: ; a(); }");
  });

  it("cuts a statement once, and none inside one that is cut", () => {
    expect(trim("use(bad, worse); a();", "bad", "worse")).toBe("; a();");
    expect(trim("if (bad) { worse(); } a();", "bad", "worse")).toBe("; a();");
  });

  it("cuts what names a declaration that is cut", () => {
    expect(trim("var x = bad(), y; function f() { x(); y; a(); } b(); f();", "bad")).toBe(
      "; function f() { ; ; a(); } b(); f();",
    );
  });

  it("leaves the harness alone", () => {
    expect(trim("a();", "before")).toBeNull();
  });
});

describe("a sample", () => {
  const paths = Array.from({ length: 50 }, (_, index) => `folder/${index}.js`);
  const chosen = (sample: number, seed: number, of: readonly string[] = paths): string[] =>
    select(of, { filter: "", shard: [1, 1], sample, seed });

  it("is the same for a seed, and grows by adding", () => {
    expect(chosen(10, 1)).toEqual(chosen(10, 1));
    expect(chosen(10, 1)).not.toEqual(chosen(10, 2));
    expect(chosen(20, 1).slice(0, 10)).toEqual(chosen(10, 1));
  });

  it("is shared out among shards without loss", () => {
    const parts = [1, 2, 3].flatMap((index) => select(paths, { filter: "", shard: [index, 3], sample: 0, seed: 1 }));
    expect(parts.sort()).toEqual([...paths].sort());
  });
});
