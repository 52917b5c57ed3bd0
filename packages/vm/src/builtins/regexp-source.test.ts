import fc from "fast-check";
import { expect, it } from "vitest";
import { escapeSource } from "./regexp-source.ts";

it("escapes patterns as V8 does", () => {
  const pattern = fc
    .array(fc.constantFrom(..."ab/[]\\\n\r\u2028\u2029^"), { maxLength: 8 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, (text) => {
      let native: string;
      try {
        native = new RegExp(text).source;
      } catch {
        return;
      }
      expect(escapeSource(text)).toBe(native);
    }),
    { seed: 81, numRuns: 20_000 },
  );
});
