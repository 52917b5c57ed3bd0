// [...] of patterns with the v flag: nested classes, union, intersection, difference, strings.
//
// Where case is ignored, V8 of Node 20 closes over case the members of a union, and properties, but
// not a single character that is an operand of -- or &&, and finally the whole class; so [\w--a] still
// matches "a" with iv, through "A". Later versions of V8 differ; we keep to Node 20.
import { closeOverSimpleCase } from "../unicode/case-folding.ts";
import { complement, intersect, setFromRanges, subtract, unite, type CodePointSet } from "../unicode/code-point-set.ts";
import { classValue, NO_STRINGS, parseClassEscape, stringsValue, type ClassValue } from "./class-escapes.ts";
import { RegExpUnsupported } from "./errors.ts";
import { negate } from "./parse-class.ts";
import { parseCharacterEscape } from "./parse-escape.ts";
import { code, END, type PatternReader } from "./pattern-reader.ts";

interface Operand {
  readonly kind: "character" | "escape" | "nested" | "range";
  readonly value: ClassValue;
  readonly mayContainStrings: boolean;
  /** Of a character. */
  readonly codePoint: number;
}

const SYNTAX_CHARACTERS = new Set(Array.from("()[]{}/-\\|", code));
const DOUBLE_PUNCTUATORS = new Set(Array.from("&!#$%*+,.:;<=>?@^`~", code));
const HYPHEN = code("-");
const AMPERSAND = code("&");

/** The reader is on the opening bracket. */
export function parseClassSet(reader: PatternReader): ClassValue {
  const { value } = parseNested(reader, 0);
  return reader.flags.ignoreCase ? { ...value, set: closeOverSimpleCase(value.set) } : value;
}

function parseNested(reader: PatternReader, depth: number): Operand {
  reader.checkNesting(depth);
  reader.advance();
  const isNegated = reader.current === code("^");
  if (isNegated) reader.advance();
  if (reader.current === code("]")) {
    reader.advance();
    return nested(isNegated ? complement([]) : [], NO_STRINGS, 0, false);
  }
  const first = parseOperand(reader, depth);
  const operand =
    reader.current === HYPHEN && reader.peek() === HYPHEN
      ? parseDifference(reader, first, isNegated, depth)
      : reader.current === AMPERSAND && reader.peek() === AMPERSAND
        ? parseIntersection(reader, first, isNegated, depth)
        : parseUnion(reader, first, isNegated, depth);
  const { set, strings, maxLength } = operand.value;
  reader.charge(set.length + strings.size);
  return isNegated ? nested(negate(set), NO_STRINGS, maxLength, false) : operand;
}

function parseUnion(reader: PatternReader, first: Operand, isNegated: boolean, depth: number): Operand {
  const ranges: number[] = [];
  let set: CodePointSet = [];
  let direct: CodePointSet = [];
  const strings = new Map<string, readonly number[]>();
  let mayContainStrings = false;
  let hasNested = false;
  let maxLength = 0;
  const add = (operand: Operand): void => {
    mayContainStrings ||= operand.mayContainStrings;
    maxLength = Math.max(maxLength, operand.value.maxLength);
    for (const [key, string] of operand.value.strings) strings.set(key, string);
    hasNested ||= operand.kind === "nested";
    if (operand.kind === "nested") set = unite(set, operand.value.set);
    else if (operand.kind === "escape") direct = unite(direct, operand.value.set);
    else ranges.push(...operand.value.set);
    if (operand.value.set.length > 2) reader.charge(set.length + direct.length);
  };
  let last = first;
  while (reader.current !== END && reader.current !== code("]")) {
    if (reader.current === HYPHEN) {
      last = parseRangeEnd(reader, last, depth);
      if (reader.current === END) break;
    } else {
      add(last);
      last = parseOperand(reader, depth);
    }
  }
  if (reader.current === END) reader.fail("Unterminated character class");
  add(last);
  reader.advance();
  if (isNegated && mayContainStrings) reader.fail("Negated character class may contain strings");
  if (maxLength === 0 && !hasNested && strings.size === 0) {
    throw new RegExpUnsupported("A class of nothing but \\P{Any} crashes V8 of Node 20; write [] instead");
  }
  direct = unite(direct, setFromRanges(ranges));
  const united = unite(set, reader.flags.ignoreCase ? closeOverSimpleCase(direct) : direct);
  return nested(united, strings, maxLength, mayContainStrings);
}

/** The reader is on the hyphen after the first character. */
function parseRangeEnd(reader: PatternReader, from: Operand, depth: number): Operand {
  if (reader.peek() === HYPHEN) reader.fail("Invalid set operation in character class");
  reader.advance();
  if (reader.current === END) return from;
  if (from.kind !== "character") reader.fail("Invalid character class");
  const to = parseOperand(reader, depth);
  if (to.kind !== "character") reader.fail("Invalid character class");
  if (from.codePoint > to.codePoint) reader.fail("Range out of order in character class");
  const value = classValue([from.codePoint, to.codePoint]);
  return { kind: "range", value, mayContainStrings: false, codePoint: END };
}

function parseIntersection(reader: PatternReader, first: Operand, isNegated: boolean, depth: number): Operand {
  let { set, strings, maxLength } = checkedOperand(first).value;
  let mayContainStrings = first.mayContainStrings;
  while (reader.current !== END && reader.current !== code("]")) {
    if (reader.current !== AMPERSAND || reader.peek() !== AMPERSAND) {
      reader.fail("Invalid set operation in character class");
    }
    reader.advance(2);
    if (reader.current === AMPERSAND) reader.fail("Invalid character in character class");
    const operand = checkedOperand(parseOperand(reader, depth));
    mayContainStrings &&= operand.mayContainStrings;
    maxLength = Math.max(maxLength, operand.value.maxLength);
    reader.charge(set.length + strings.size);
    set = intersect(set, operand.value.set);
    strings = new Map([...strings].filter(([key]) => operand.value.strings.has(key)));
  }
  if (reader.current === END) reader.fail("Unterminated character class");
  if (isNegated && mayContainStrings) reader.fail("Negated character class may contain strings");
  reader.advance();
  return nested(set, strings, maxLength, mayContainStrings);
}

function parseDifference(reader: PatternReader, first: Operand, isNegated: boolean, depth: number): Operand {
  let { set, strings, maxLength } = checkedOperand(first).value;
  const { mayContainStrings } = first;
  if (isNegated && mayContainStrings) reader.fail("Negated character class may contain strings");
  while (reader.current !== END && reader.current !== code("]")) {
    if (reader.current !== HYPHEN || reader.peek() !== HYPHEN) reader.fail("Invalid set operation in character class");
    reader.advance(2);
    const operand = checkedOperand(parseOperand(reader, depth));
    maxLength = Math.max(maxLength, operand.value.maxLength);
    reader.charge(set.length + strings.size);
    set = subtract(set, operand.value.set);
    strings = new Map([...strings].filter(([key]) => !operand.value.strings.has(key)));
  }
  if (reader.current === END) reader.fail("Unterminated character class");
  reader.advance();
  return nested(set, strings, maxLength, mayContainStrings);
}

function checkedOperand(operand: Operand): Operand {
  if (!operand.value.isUnsorted) return operand;
  throw new RegExpUnsupported("V8 of Node 20 needs the single characters of \\q{} in ascending order here");
}

function parseOperand(reader: PatternReader, depth: number): Operand {
  if (reader.current === code("[")) return parseNested(reader, depth + 1);
  if (reader.current === code("\\")) {
    const value = reader.peek() === code("q") ? parseStrings(reader) : parseClassEscape(reader, true);
    if (value !== undefined) {
      return { kind: "escape", value, mayContainStrings: value.strings.size > 0, codePoint: END };
    }
  }
  const codePoint = parseSetCharacter(reader);
  const value = classValue([codePoint, codePoint]);
  return { kind: "character", value, mayContainStrings: false, codePoint };
}

/** \q{one|two|} */
function parseStrings(reader: PatternReader): ClassValue {
  reader.advance(2);
  if (reader.current !== code("{")) reader.fail("Invalid escape");
  reader.advance();
  let string: number[] = [];
  const strings = [string];
  while (reader.current !== END && reader.current !== code("}")) {
    if (reader.current === code("|")) {
      string = [];
      strings.push(string);
      reader.advance();
    } else {
      string.push(parseSetCharacter(reader));
    }
  }
  reader.advance();
  return stringsValue(strings, reader.flags.ignoreCase);
}

function parseSetCharacter(reader: PatternReader): number {
  const letter = reader.current;
  if (letter === code("\\")) {
    const next = reader.peek();
    if (next === END) reader.fail("\\ at end of pattern");
    if (next !== code("b")) return parseCharacterEscape(reader, { isInClass: true, hasNamedGroups: () => true });
    reader.advance(2);
    return 0x08;
  }
  if (SYNTAX_CHARACTERS.has(letter)) reader.fail("Invalid character in character class");
  if (DOUBLE_PUNCTUATORS.has(letter) && reader.peek() === letter) {
    reader.fail("Invalid set operation in character class");
  }
  reader.advance();
  return letter;
}

function nested(
  set: CodePointSet,
  strings: ReadonlyMap<string, readonly number[]>,
  maxLength: number,
  mayContainStrings: boolean,
): Operand {
  return { kind: "nested", value: { set, strings, maxLength, isUnsorted: false }, mayContainStrings, codePoint: END };
}
