// The properties of \p{…} that V8 accepts, by the exact names it accepts.
import { ALL_CODE_POINTS, hasCodePoint, unite, type CodePointSet } from "./code-point-set.ts";
import { BINARY_ALIASES, BINARY_RANGES } from "./data/binary-properties.ts";
import { EMOJI_SEQUENCES } from "./data/emoji-sequences.ts";
import { CATEGORY_ALIASES, CATEGORY_RANGES } from "./data/general-categories.ts";
import { SCRIPT_ALIASES, SCRIPT_EXTENSION_RANGES, SCRIPT_RANGES } from "./data/scripts.ts";
import { decodeRanges, decodeStrings, lazily } from "./packed-numbers.ts";

/** The set of `\p{name}` or `\p{name=value}`; undefined if there is no such property. */
export function propertySet(name: string, value?: string): CodePointSet | undefined {
  if (value === undefined) return generalCategory(name) ?? knownBinary(name);
  switch (name) {
    case "General_Category":
    case "gc":
      return generalCategory(value);
    case "Script":
    case "sc":
      return script(value, false);
    case "Script_Extensions":
    case "scx":
      return script(value, true);
    default:
      return undefined;
  }
}

/** Whether `\p{name}` is a property of its own rather than a general category. */
export function isBinaryProperty(name: string): boolean {
  return own(CATEGORY_ALIASES, name) === undefined && knownBinary(name) !== undefined;
}

/** The members of a property of strings as code point lists; undefined if there is no such property. */
export function propertyOfStrings(name: string): readonly (readonly number[])[] | undefined {
  if (name === "RGI_Emoji") return memoized(`strings:${name}`, allEmoji, name);
  return Object.hasOwn(EMOJI_SEQUENCES, name) ? memoized(`strings:${name}`, emojiOf, name) : undefined;
}

/** For names that are known to exist. */
export function binaryProperty(name: string): CodePointSet {
  const set = knownBinary(name);
  if (set === undefined) throw new Error(`no binary property ${name}`);
  return set;
}

export function isIdStart(codePoint: number): boolean {
  return hasCodePoint(idStart(), codePoint);
}

export function isIdContinue(codePoint: number): boolean {
  return hasCodePoint(idContinue(), codePoint);
}

/** Every accepted name, for tests and for messages. */
export function propertyNames(): readonly string[] {
  const scripts = Object.keys(SCRIPT_ALIASES);
  return [
    ...Object.keys(CATEGORY_ALIASES).flatMap((name) => [name, `gc=${name}`, `General_Category=${name}`]),
    ...scripts.flatMap((name) => [`sc=${name}`, `Script=${name}`, `scx=${name}`, `Script_Extensions=${name}`]),
    ...Object.keys(BINARY_ALIASES),
  ];
}

const CATEGORY_UNIONS: Readonly<Record<string, readonly string[]>> = {
  C: ["Cc", "Cf", "Cn", "Co", "Cs"],
  L: ["Ll", "Lm", "Lo", "Lt", "Lu"],
  LC: ["Ll", "Lt", "Lu"],
  M: ["Mc", "Me", "Mn"],
  N: ["Nd", "Nl", "No"],
  P: ["Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps"],
  S: ["Sc", "Sk", "Sm", "So"],
  Z: ["Zl", "Zp", "Zs"],
};

const idStart = lazily(() => binaryProperty("ID_Start"));
const idContinue = lazily(() => binaryProperty("ID_Continue"));
const decoded = new Map<string, unknown>();

function generalCategory(name: string): CodePointSet | undefined {
  const category = own(CATEGORY_ALIASES, name);
  return category === undefined ? undefined : memoized(`gc:${category}`, decodeCategory, category);
}

function decodeCategory(category: string): CodePointSet {
  const members = CATEGORY_UNIONS[category] ?? [category];
  return members.map((member) => decodeRanges(CATEGORY_RANGES[member] ?? "")).reduce<CodePointSet>(unite, []);
}

function script(name: string, isExtended: boolean): CodePointSet | undefined {
  const key = own(SCRIPT_ALIASES, name);
  if (key === undefined) return undefined;
  const extended = isExtended ? own(SCRIPT_EXTENSION_RANGES, key) : undefined;
  return extended === undefined
    ? memoized(`sc:${key}`, decodeScript, key)
    : memoized(`scx:${key}`, () => decodeRanges(extended), key);
}

function decodeScript(key: string): CodePointSet {
  return decodeRanges(SCRIPT_RANGES[key] ?? "");
}

function knownBinary(name: string): CodePointSet | undefined {
  if (name === "Any") return ALL_CODE_POINTS;
  const property = own(BINARY_ALIASES, name);
  return property === undefined ? undefined : memoized(`binary:${property}`, decodeBinary, property);
}

function decodeBinary(property: string): CodePointSet {
  return decodeRanges(BINARY_RANGES[property] ?? "");
}

function emojiOf(name: string): readonly (readonly number[])[] {
  return decodeStrings(EMOJI_SEQUENCES[name] ?? "");
}

function allEmoji(): readonly (readonly number[])[] {
  return Object.keys(EMOJI_SEQUENCES).flatMap(emojiOf);
}

/** A name from a pattern may be that of a member every object has, such as constructor. */
function own(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Tables never change, so each is decoded once for the whole process. */
function memoized<Table>(key: string, decode: (name: string) => Table, name: string): Table {
  const known = decoded.get(key);
  if (known !== undefined) return known as Table;
  const table = decode(name);
  decoded.set(key, table);
  return table;
}
