import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Of, bytesOfBase64 } from "./base64.ts";

const SEED = 64;

describe(`base64, seed ${SEED}`, () => {
  it("writes and reads what Node's Buffer does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const text = base64Of(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(bytesOfBase64(text)).toEqual(Uint8Array.from(bytes));
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it("reads no other text", () => {
    const nearly = fc.array(fc.constantFrom("A", "B", "Q", "w", "8", "/", "+", "=", "-", "é"), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(nearly, (characters) => {
        const text = characters.join("");
        const bytes = bytesOfBase64(text);
        const isCanonical = Buffer.from(text, "base64").toString("base64") === text;
        expect(bytes === undefined).toBe(!isCanonical);
        if (bytes !== undefined) expect(base64Of(bytes)).toBe(text);
      }),
      { seed: SEED, numRuns: 5000 },
    );
  });
});
