import { RegExpSyntaxError } from "./errors.ts";

export interface RegExpFlags {
  /** In the order of the `flags` property. */
  readonly text: string;
  readonly hasIndices: boolean;
  readonly global: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly unicode: boolean;
  readonly unicodeSets: boolean;
  readonly sticky: boolean;
  /** u or v: the pattern and the input are read by code points. */
  readonly isUnicodeMode: boolean;
}

const FLAGS = "dgimsuvy";

export function parseFlags(text: string): RegExpFlags {
  const letters = new Set(text);
  const known = Array.from(FLAGS)
    .filter((letter) => letters.has(letter))
    .join("");
  // Every letter known, none twice, and not both of the modes.
  if (known.length !== text.length || (letters.has("u") && letters.has("v"))) {
    throw new RegExpSyntaxError(`Invalid flags supplied to RegExp constructor '${text}'`);
  }
  return {
    text: known,
    hasIndices: letters.has("d"),
    global: letters.has("g"),
    ignoreCase: letters.has("i"),
    multiline: letters.has("m"),
    dotAll: letters.has("s"),
    unicode: letters.has("u"),
    unicodeSets: letters.has("v"),
    sticky: letters.has("y"),
    isUnicodeMode: letters.has("u") || letters.has("v"),
  };
}
