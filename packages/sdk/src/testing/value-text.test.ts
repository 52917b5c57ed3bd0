import { encodeNative } from "@cairnjs/ir";
import { expect, it } from "vitest";
import { elementsText, valueText } from "./value-text.ts";

it.each([
  ["undefined", undefined],
  ['{"a":[undefined,-0,12n]}', { a: [undefined, -0, 12n] }],
  ['{"$undefined":[undefined]}', { $undefined: [undefined] }],
  ["Date(1970-01-01T00:00:00.000Z)", new Date(0)],
  ["Date(invalid)", new Date(Number.NaN)],
  ['"$undefined"', "$undefined"],
  ['{"$map":[["a",undefined]]}', new Map([["a", undefined]])],
  [`"${"x".repeat(68)}…`, "x".repeat(100)],
])("%s: told as code where JSON has no word for it", (text, value) => {
  expect(valueText(encodeNative(value))).toBe(text);
});

it("arguments are told without the array around them, also those that lead back to it", () => {
  expect(elementsText(encodeNative(["ada", undefined]))).toBe('"ada",undefined');
  expect(elementsText("[]")).toBe("");
  const circle: unknown[] = [];
  circle.push(circle);
  expect(elementsText(encodeNative(circle))).toBe('{"$def":[0,[{"$ref":0}]]}');
});
