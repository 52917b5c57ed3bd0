// Hashes over all code points of every table: the same on every Node, whatever its ICU. A changed
// digest is a change of the language's semantics.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { canonicalizeUnit, expandedFold, simpleFold } from "./case-folding.ts";
import { toLowerCase, toUpperCase } from "./letter-case.ts";
import { normalize, type NormalForm } from "./normal-forms.ts";
import { propertyNames, propertyOfStrings, propertySet } from "./properties.ts";
import { isWhiteSpace } from "./white-space.ts";

it("no table differs from the recorded one", () => {
  const texts = (map: (letter: string) => string): string =>
    digest((add) => {
      for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
        const letter = String.fromCodePoint(codePoint);
        const mapped = map(letter);
        if (mapped !== letter) add(`${codePoint}:${escape(mapped)};`);
      }
    });
  const numbers = (map: (codePoint: number) => unknown, max = 0x10ffff): string =>
    digest((add) => {
      for (let codePoint = 0; codePoint <= max; codePoint++) {
        const mapped = map(codePoint);
        if (mapped !== codePoint && mapped !== undefined) add(`${codePoint}:${JSON.stringify(mapped)};`);
      }
    });
  const form = (name: NormalForm): string => texts((letter) => normalize(letter, name));
  expect({
    lowerCase: texts(toLowerCase),
    upperCase: texts(toUpperCase),
    simpleFold: numbers(simpleFold),
    expandedFold: numbers(expandedFold),
    canonicalizeUnit: numbers(canonicalizeUnit, 0xffff),
    whiteSpace: numbers(isWhiteSpace, 0xffff),
    nfc: form("NFC"),
    nfd: form("NFD"),
    nfkc: form("NFKC"),
    nfkd: form("NFKD"),
    properties: digest((add) => {
      for (const name of propertyNames()) {
        const [property = "", value] = name.split("=");
        add(`${name}:${propertySet(property, value)?.join(",")};`);
      }
    }),
    emoji: digest((add) => {
      for (const member of propertyOfStrings("RGI_Emoji") ?? []) add(`${member.join(",")};`);
    }),
  }).toMatchInlineSnapshot(`
    {
      "canonicalizeUnit": "8554ae6f32b6c94884aac95216b98b59",
      "emoji": "baf381e9a74295d54fab37ecbc314ee6",
      "expandedFold": "253e895732552854bf8daf738f5db7f0",
      "lowerCase": "f538d3ef218cbe0295e8670adb719aa7",
      "nfc": "c3778cdc1704e1b5d609d66bc8cbc465",
      "nfd": "d097556f3c326d62a09ee0e9cdc4b92d",
      "nfkc": "18386732622e6d64d2cdbf3b8d04716b",
      "nfkd": "c00c7de1bb0c299a76f1337790b1c7ab",
      "properties": "ed2cf2ed2e0734d1d37ff269de1a6889",
      "simpleFold": "663d11c6dcfba00a56a0bab9234e97c2",
      "upperCase": "0445ced0923277e93edfc6abb35411e5",
      "whiteSpace": "a3ba63e01cbc781d3b6c8cc94a0031a4",
    }
  `);
});

function digest(fill: (add: (text: string) => void) => void): string {
  const hash = createHash("sha256");
  fill((text) => hash.update(text));
  return hash.digest("hex").slice(0, 32);
}

/** Lone surrogates would all be hashed alike. */
function escape(text: string): string {
  return Array.from(text, (letter) => letter.codePointAt(0)).join(",");
}
