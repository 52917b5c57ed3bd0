import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostContext } from "../../test/builtins/host-context.ts";
import { getProperty } from "../heap/properties.ts";
import type { VError } from "../heap/data.ts";
import { Thrown } from "../machine/host.ts";
import { base64Builtins } from "./base64.ts";
import { errorBuiltins } from "./error.ts";

const context = hostContext({ ...base64Builtins, ...errorBuiltins });
const SEED = 20_261_115;

function ours(name: string, text: string): string {
  try {
    return `= ${String(base64Builtins[name]!.call!(context, undefined, [text]))}`;
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    const thrown = error.value as VError;
    return ["name", "code", "message"].map((key) => String(getProperty(context, thrown, key))).join(" ");
  }
}

function native(name: "atob" | "btoa", text: string): string {
  try {
    return `= ${name === "atob" ? atob(text) : btoa(text)}`;
  } catch (error) {
    const { name: className, code, message } = error as DOMException;
    return [className, code, message].join(" ");
  }
}

// prettier-ignore
const CHARACTERS = ["A", "b", "Z", "9", "+", "/", "y", "Q", "A", "b", "Z", "9", "=", " ", "\n", "*", "é", "-", "_", "\0", "\v", "日", "=="];

test("atob and btoa give what Node 20 gives, errors included", () => {
  const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 12 }).map((characters) => characters.join(""));
  const latin = fc.array(fc.integer({ min: 0, max: 256 })).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(fc.oneof(text, latin), (each) => {
      expect(ours("atob", each)).toBe(native("atob", each));
      expect(ours("btoa", each)).toBe(native("btoa", each));
    }),
    { seed: SEED, numRuns: 20_000 },
  );
});

test("every text of Latin-1 comes back", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 255 })), (codes) => {
      const text = String.fromCharCode(...codes);
      expect(ours("atob", ours("btoa", text).slice(2))).toBe(`= ${text}`);
    }),
    { seed: SEED },
  );
});
