// CharacterEscape of the grammar, Annex B included: everything after a backslash that stands for one
// character, inside a class or outside.
import { code, isDigit, type PatternReader } from "./pattern-reader.ts";

interface ClassContext {
  readonly isInClass: boolean;
  /** Whether the pattern has named groups; asked only where \k depends on it. */
  readonly hasNamedGroups: () => boolean;
}

const CONTROL_ESCAPES: ReadonlyMap<number, number> = new Map([
  [code("f"), 0x0c],
  [code("n"), 0x0a],
  [code("r"), 0x0d],
  [code("t"), 0x09],
  [code("v"), 0x0b],
]);

const SYNTAX_CHARACTERS = new Set(Array.from("^$\\.*+?()[]{}|/", code));
const RESERVED_PUNCTUATORS = new Set(Array.from("&-!#%,:;<=>@`~", code));

/** The reader is on the backslash, and something follows it. */
export function parseCharacterEscape(reader: PatternReader, context: ClassContext): number {
  reader.advance();
  const letter = reader.current;
  const control = CONTROL_ESCAPES.get(letter);
  if (control !== undefined) {
    reader.advance();
    return control;
  }
  if (letter === code("c")) return parseControlLetter(reader, context.isInClass);
  if (letter >= code("0") && letter <= code("7")) return parseDecimal(reader, context.isInClass);
  if (letter === code("x")) return parseHexadecimal(reader);
  if (letter === code("u")) return parseUnicode(reader);
  return parseIdentity(reader, context);
}

function parseControlLetter(reader: PatternReader, isInClass: boolean): number {
  const letter = reader.peek();
  const upper = letter & ~0x20;
  if (upper >= code("A") && upper <= code("Z")) {
    reader.advance(2);
    return letter & 0x1f;
  }
  if (reader.isUnicodeMode) reader.fail("Invalid Unicode escape");
  if (isInClass && (isDigit(letter) || letter === code("_"))) {
    reader.advance(2);
    return letter & 0x1f;
  }
  // The backslash stands for itself, and the c is read again as a character.
  return code("\\");
}

function parseDecimal(reader: PatternReader, isInClass: boolean): number {
  if (reader.current === code("0") && !isDigit(reader.peek())) {
    reader.advance();
    return 0;
  }
  if (reader.isUnicodeMode) reader.fail(isInClass ? "Invalid class escape" : "Invalid decimal escape");
  return parseOctal(reader);
}

/** Up to three octal digits with a value below 256. */
export function parseOctal(reader: PatternReader): number {
  let value = reader.current - code("0");
  reader.advance();
  for (let digits = 1; digits < 3 && value < 32 && isOctal(reader.current); digits++) {
    value = value * 8 + reader.current - code("0");
    reader.advance();
  }
  return value;
}

function isOctal(letter: number): boolean {
  return letter >= code("0") && letter <= code("7");
}

function parseHexadecimal(reader: PatternReader): number {
  reader.advance();
  const value = readHexDigits(reader, 2);
  if (value !== undefined) return value;
  if (reader.isUnicodeMode) reader.fail("Invalid escape");
  return code("x");
}

function parseUnicode(reader: PatternReader): number {
  reader.advance();
  const value = readUnicodeEscape(reader);
  if (value !== undefined) return value;
  if (reader.isUnicodeMode) reader.fail("Invalid Unicode escape");
  return code("u");
}

/** After \u. In unicode mode also braces, and two escapes that form a surrogate pair. */
export function readUnicodeEscape(reader: PatternReader): number | undefined {
  if (reader.current === code("{") && reader.isUnicodeMode) return readBracedCodePoint(reader);
  const value = readHexDigits(reader, 4);
  const isLead = value !== undefined && value >= 0xd800 && value <= 0xdbff;
  if (!isLead || !reader.isUnicodeMode || reader.current !== code("\\")) return value;
  const start = reader.position;
  if (reader.peek() === code("u")) {
    reader.advance(2);
    const trail = readHexDigits(reader, 4);
    if (trail !== undefined && trail >= 0xdc00 && trail <= 0xdfff) {
      return 0x10000 + ((value & 0x3ff) << 10) + (trail & 0x3ff);
    }
  }
  reader.reset(start);
  return value;
}

function readBracedCodePoint(reader: PatternReader): number | undefined {
  const start = reader.position;
  reader.advance();
  let value = 0;
  let digits = 0;
  for (let digit = hexValue(reader.current); digit >= 0; digit = hexValue(reader.current)) {
    value = value * 16 + digit;
    if (value > 0x10ffff) break;
    digits++;
    reader.advance();
  }
  if (digits > 0 && value <= 0x10ffff && reader.current === code("}")) {
    reader.advance();
    return value;
  }
  reader.reset(start);
  return undefined;
}

function readHexDigits(reader: PatternReader, length: number): number | undefined {
  const start = reader.position;
  let value = 0;
  for (let index = 0; index < length; index++) {
    const digit = hexValue(reader.current);
    if (digit < 0) {
      reader.reset(start);
      return undefined;
    }
    value = value * 16 + digit;
    reader.advance();
  }
  return value;
}

function hexValue(letter: number): number {
  if (isDigit(letter)) return letter - code("0");
  const upper = letter & ~0x20;
  return upper >= code("A") && upper <= code("F") ? upper - code("A") + 10 : -1;
}

function parseIdentity(reader: PatternReader, context: ClassContext): number {
  const letter = reader.current;
  const isReserved = reader.flags.unicodeSets && context.isInClass && RESERVED_PUNCTUATORS.has(letter);
  if (reader.isUnicodeMode && !isReserved && !SYNTAX_CHARACTERS.has(letter)) reader.fail("Invalid escape");
  reader.advance();
  if (!reader.isUnicodeMode && letter === code("k") && context.hasNamedGroups()) reader.fail("Invalid escape");
  return letter;
}
