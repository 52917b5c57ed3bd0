import { encodeNative } from "@cairnjs/ir";
import { expect, test } from "vitest";
import { compareTranscripts } from "./compare.ts";
import { UNSTORABLE, line } from "./transcript.ts";

const verdict = (native: unknown, machine: unknown): string | undefined =>
  compareTranscripts([line("log", [], [encodeNative(native)])], [line("log", [], [encodeNative(machine)])])?.kind;

test("equal values are equal, -0 and sharing included", () => {
  const shared = {};
  expect(verdict([-0, NaN, shared, shared], [-0, NaN, {}, {}])).toBe("difference");
  expect(verdict([-0, NaN, shared, shared], [-0, NaN, shared, shared])).toBeUndefined();
  expect(verdict([-0], [0])).toBe("difference");
  expect(verdict({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe("difference");
});

test("messages of the language may be worded differently, those of the program not", () => {
  expect(verdict(new TypeError("a is not a function"), new TypeError("x is no function"))).toBe("wording");
  expect(verdict(new TypeError("§mine"), new TypeError("§yours"))).toBe("difference");
  expect(verdict(new TypeError("x"), new RangeError("x"))).toBe("difference");
  expect(verdict([new TypeError("x"), 1], [new TypeError("y"), 2])).toBe("difference");
});

test("a missing line is a difference", () => {
  expect(compareTranscripts([line("log")], [])?.kind).toBe("difference");
  expect(compareTranscripts([], [line("end")])?.kind).toBe("difference");
});

test("what cannot be stored is so on both sides", () => {
  expect(verdict([`${UNSTORABLE} function`], ["[Function f]"])).toBeUndefined();
  expect(verdict([`${UNSTORABLE} object`], ["#<Promise>"])).toBeUndefined();
  expect(verdict([`${UNSTORABLE} object`], ["[object RegExp]"])).toBeUndefined();
  expect(verdict([`${UNSTORABLE} function`], ["#<Promise>"])).toBe("difference");
  expect(verdict([`${UNSTORABLE} object`], ["stored after all"])).toBe("difference");
  expect(verdict([`${UNSTORABLE} object`], [5])).toBe("difference");
  expect(verdict(["stored"], ["#<Promise>"])).toBe("difference");
});
