// Writes src/unicode/data/*.ts from the Unicode data of the Node that runs it. The tables define the
// language's semantics, so they are made once, under Node 20, and checked in:
//   node packages/vm/scripts/generate-unicode.mjs
import { mkdirSync, writeFileSync } from "node:fs";
import { caseMapping, fullFolding, simpleFolding } from "./unicode/case-tables.mjs";
import { emojiSequences } from "./unicode/emoji-sequences.mjs";
import { encodeExpansions, encodeMapping, encodeNumbers, encodeRanges } from "./unicode/encode.mjs";
import { rangesOf } from "./unicode/native-sets.mjs";
import { combiningClasses, compositionExclusions, decompositions } from "./unicode/normal-forms.mjs";
import { binaryNames, categoryNames, LONG_SCRIPT_NAMES, scriptNames } from "./unicode/property-names.mjs";

if (!process.version.startsWith("v20.")) throw new Error("the tables are those of Node 20");

const folder = new URL("../src/unicode/data/", import.meta.url);
mkdirSync(folder, { recursive: true });

writeCategories();
writeScripts();
writeBinaryProperties();
writeEmoji();
writeLetterCase();
writeNormalForms();
write("unicode-version", { UNICODE_VERSION: process.versions.unicode });

function writeCategories() {
  const ranges = {};
  const aliases = {};
  for (const names of categoryNames()) {
    for (const name of names) aliases[name] = names[0];
    ranges[names[0]] = encodeRanges(rangesOf(`\\p{gc=${names[0]}}`));
  }
  for (const union of ["C", "L", "LC", "M", "N", "P", "S", "Z"]) delete ranges[union];
  write("general-categories", { CATEGORY_ALIASES: aliases, CATEGORY_RANGES: ranges });
}

function writeScripts() {
  const aliases = {};
  const scripts = {};
  const extensions = {};
  const nameOf = new Map();
  for (const name of scriptNames()) {
    const ranges = encodeRanges(rangesOf(`\\p{sc=${name}}`));
    const extended = encodeRanges(rangesOf(`\\p{scx=${name}}`));
    const first = nameOf.get(ranges) ?? name;
    nameOf.set(ranges, first);
    aliases[name] = first;
    scripts[first] = ranges;
    if (extended !== ranges) extensions[first] = extended;
  }
  for (const first of Object.keys(scripts)) {
    if (!LONG_SCRIPT_NAMES.some((name) => aliases[name] === first)) {
      throw new Error(`the long name of script ${first} is missing`);
    }
  }
  write("scripts", { SCRIPT_ALIASES: aliases, SCRIPT_RANGES: scripts, SCRIPT_EXTENSION_RANGES: extensions });
}

function writeBinaryProperties() {
  const aliases = {};
  const ranges = {};
  for (const names of binaryNames()) {
    for (const name of names) aliases[name] = names.at(-1);
    ranges[names.at(-1)] = encodeRanges(rangesOf(`\\p{${names[0]}}`));
  }
  write("binary-properties", { BINARY_ALIASES: aliases, BINARY_RANGES: ranges });
}

function writeEmoji() {
  const tables = {};
  for (const [property, strings] of Object.entries(emojiSequences())) {
    if (property !== "RGI_Emoji") tables[property] = encodeStrings(strings);
  }
  write("emoji-sequences", { EMOJI_SEQUENCES: tables });
}

/** Sorted strings: how many code points are shared with the last, how many follow, and those. */
function encodeStrings(strings) {
  const sorted = strings.map((text) => Array.from(text, (letter) => letter.codePointAt(0))).sort(compareLists);
  const numbers = [];
  let last = [];
  for (const string of sorted) {
    let shared = 0;
    while (shared < last.length && last[shared] === string[shared]) shared++;
    numbers.push(shared, string.length - shared, ...string.slice(shared));
    last = string;
  }
  return encodeNumbers(numbers);
}

function compareLists(first, second) {
  for (let index = 0; index < Math.min(first.length, second.length); index++) {
    if (first[index] !== second[index]) return first[index] - second[index];
  }
  return first.length - second.length;
}

function writeLetterCase() {
  const lower = caseMapping("toLowerCase");
  const upper = caseMapping("toUpperCase");
  write("letter-case", {
    LOWER_SINGLE: encodeMapping(lower.single),
    LOWER_EXPANDED: encodeExpansions(lower.expanded),
    UPPER_SINGLE: encodeMapping(upper.single),
    UPPER_EXPANDED: encodeExpansions(upper.expanded),
    FOLD_SIMPLE: encodeMapping(simpleFolding()),
    FOLD_EXPANDED: encodeExpansions(fullFolding()),
  });
}

function writeNormalForms() {
  const { canonical, compatible } = decompositions();
  write("normal-forms", {
    CANONICAL_DECOMPOSITIONS: encodeExpansions(canonical),
    COMPATIBLE_DECOMPOSITIONS: encodeExpansions(compatible),
    COMPOSITION_EXCLUSIONS: encodeRanges(compositionExclusions()),
    COMBINING_CLASSES: combiningClasses().map(encodeRanges),
  });
}

function write(name, constants) {
  const lines = [`// Written by scripts/generate-unicode.mjs from the tables of Node 20; not to be edited.`];
  for (const [constant, value] of Object.entries(constants)) lines.push(`\n${declaration(constant, value)}`);
  writeFileSync(new URL(`${name}.ts`, folder), `${lines.join("\n")}\n`);
}

function declaration(constant, value) {
  if (typeof value === "string") return `export const ${constant} =\n  ${JSON.stringify(value)};`;
  if (Array.isArray(value)) {
    const items = value.map((item) => `  ${JSON.stringify(item)},`);
    return `export const ${constant}: readonly string[] = [\n${items.join("\n")}\n];`;
  }
  const items = Object.entries(value).map(([key, item]) => `  ${key}: ${JSON.stringify(item)},`);
  return `export const ${constant}: Readonly<Record<string, string>> = {\n${items.join("\n")}\n};`;
}
